import { text } from '../../shared/util/schema';
import { z } from '../../shared/util/vendor/zod';
import { additionalFields, MADE_BY_A_TASK, sourceFields } from '../fields';
import { musicOperation } from '../musicOperation';
import { model, source } from '../schema';
import { stemTypeField } from '../stemTypes';

/** One stem taken out of a song (spec §2, stems). */
export const stems = musicOperation({
	name: 'Separate Stems',
	value: 'stems',
	action: 'Separate stems of a song',
	description: 'Take a stem, such as the voice or the drums, out of a song',
	fields: [...sourceFields(MADE_BY_A_TASK), stemTypeField, additionalFields()],
	schema: z.object({ ...model, ...source, stem_type: text().optional() }),
});
