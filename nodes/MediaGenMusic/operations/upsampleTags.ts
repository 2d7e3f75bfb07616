import { text } from '../../shared/util/schema';
import { required, tagsField } from '../fields';
import { musicOperation } from '../request';

const tags = required(text(), { ...tagsField, description: 'The style tags to enhance' });

/** Style tags made richer, at once (spec §2, upsampleTags). */
export const upsampleTags = musicOperation({
	name: 'Enhance Tags',
	value: 'upsampleTags',
	action: 'Enhance style tags',
	description:
		'Turn a few style tags into richer ones. The answer comes at once, as upsampledTags.',
	synchronous: true,
	fields: { tags },
});
