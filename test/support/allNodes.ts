import { MediaGenBalance } from '../../nodes/MediaGenBalance/MediaGenBalance.node';
import { MediaGenChatCache } from '../../nodes/MediaGenChatCache/MediaGenChatCache.node';
import { MediaGenChatModel } from '../../nodes/MediaGenChatModel/MediaGenChatModel.node';
import { MediaGenGrid } from '../../nodes/MediaGenGrid/MediaGenGrid.node';
import { MediaGenImage } from '../../nodes/MediaGenImage/MediaGenImage.node';
import { MediaGenMusic } from '../../nodes/MediaGenMusic/MediaGenMusic.node';
import { MediaGenTrigger } from '../../nodes/MediaGenTrigger/MediaGenTrigger.node';
import { MediaGenUpload } from '../../nodes/MediaGenUpload/MediaGenUpload.node';
import { MediaGenVideo } from '../../nodes/MediaGenVideo/MediaGenVideo.node';

/** Every node of the package, by its page in docs/. */
export const ALL_NODES = {
	balance: new MediaGenBalance(),
	'chat-cache': new MediaGenChatCache(),
	'chat-model': new MediaGenChatModel(),
	grid: new MediaGenGrid(),
	image: new MediaGenImage(),
	music: new MediaGenMusic(),
	trigger: new MediaGenTrigger(),
	upload: new MediaGenUpload(),
	video: new MediaGenVideo(),
};
