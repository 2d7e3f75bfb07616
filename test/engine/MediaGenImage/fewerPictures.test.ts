import { MediaGenImage } from '../../../nodes/MediaGenImage/MediaGenImage.node';
import { fastClock } from '../support/clocks';
import { runNode, type RunOptions } from '../support/engine';
import { generatePicture, prompts } from '../support/generatePicture';
import { pauseNode } from '../support/pausedExecution';
import { useScriptedService } from '../support/scriptedService';
import { completedWith, numberTasks, running } from '../support/scriptedTasks';

const service = useScriptedService(() => fastClock(50));

const RECORD = '/v1/tasks/*';

const pictures = (count: number) =>
	completedWith({
		images: Array.from({ length: count }, (_, at) => ({ url: [`https://x.example/${at}.png`] })),
	});

const run = (waitMode: string): RunOptions => ({
	node: new MediaGenImage(),
	parameters: { ...generatePicture, n: 4, waitMode, downloadFiles: false },
	items: prompts(1),
	credential: service.credential(),
});

const fewer = 'The service made 2 of the 4 pictures that were asked for';

beforeEach(() => numberTasks(service));

test.each([
	[2, [fewer]],
	[4, undefined],
])('%d pictures of 4: the item says what is missing', async (made, notes) => {
	service.on('GET', RECORD, running, pictures(made));
	const { json } = await runNode(run('poll'));
	expect(json[0]?.results).toHaveLength(made);
	expect(json[0]?.notes).toEqual(notes);
});

test('after a pause, too', async () => {
	service.on('GET', RECORD, running);
	const execution = await pauseNode(run('callback'));
	service.on('GET', RECORD, pictures(2));
	const { resumed } = await execution.callback({ id: 'task_1', status: 'completed' });
	expect(resumed?.json[0]?.notes).toContain(fewer);
});
