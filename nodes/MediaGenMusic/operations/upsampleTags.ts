import { text } from '../../shared/util/schema';
import { z } from '../../shared/util/vendor/zod';
import { additionalFields, tagsField } from '../fields';
import { model, musicOperation } from '../request';

/** Style tags made richer, at once (spec §2, upsampleTags). */
export const upsampleTags = musicOperation({
	name: 'Enhance Tags',
	value: 'upsampleTags',
	action: 'Enhance style tags',
	description:
		'Turn a few style tags into richer ones. The answer comes at once, as upsampledTags.',
	synchronous: true,
	fields: [
		{ ...tagsField, required: true, description: 'The style tags to enhance' },
		additionalFields(),
	],
	schema: z.object({ ...model, tags: text() }),
});
