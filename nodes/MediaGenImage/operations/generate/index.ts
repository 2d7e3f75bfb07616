import { DATA_URI_TYPES, OFFICIAL_MODEL } from '../../../shared/api/image';
import {
	type ExecutedItem,
	type ParameterValues,
	refusal,
	requireExpressions,
	unsentNotes,
} from '../../../shared/n8n/parameters';
import { PictureReader } from '../../../shared/n8n/pictures';
import type { PanelBody } from '../../../shared/tasks/prepare';
import { isBlank } from '../../../shared/util/json';
import { additionalFields, generateFields } from './fields';
import { maskRules, referenceRules } from './references';
import { imageOperation } from './request';

const fields = [...generateFields, additionalFields];

const MASK_FIELDS = ['maskUrl', 'maskBinaryProperty'];

/** The mask, as a URL or as a picture of the input. Refuses one whose expression is empty, and one without a picture to repaint. */
async function maskOf(values: ParameterValues, item: ExecutedItem): Promise<unknown> {
	const given = MASK_FIELDS.find((name) => !isBlank(values[name]));
	if (given === undefined) {
		requireExpressions(item, values, MASK_FIELDS, [additionalFields.name]);
		return undefined;
	}
	if ((values.referenceImages ?? 'none') === 'none') {
		throw refusal(
			item,
			given,
			'must come with a reference image, the one to be repainted: "Reference Images" is None',
		);
	}
	const pictures = new PictureReader(item, maskRules(values.model));
	return await pictures.either('maskBinaryProperty', 'maskUrl', values);
}

/** Turns the choices of the panel into the fields of a generation (spec §3). The schema leaves out the choices themselves. */
async function toBody(values: ParameterValues, item: ExecutedItem): Promise<PanelBody> {
	const { model, referenceImages = 'none', sendInputDataAs } = values;
	requireExpressions(item, values, ['referenceImages']);
	const maskUrl = await maskOf(values, item);
	const body = { ...values, imageUrls: undefined, maskUrl };
	if (referenceImages === 'none')
		return {
			body,
			notes: unsentNotes(fields, values, ['imageUrls'], '"Reference Images" is None'),
		};
	const isInline = sendInputDataAs === 'dataUri' && model !== OFFICIAL_MODEL;
	const references = new PictureReader(item, {
		...referenceRules(model),
		...(isInline ? { types: DATA_URI_TYPES, isInline } : {}),
	});
	return { body: { ...body, imageUrls: await references.list('referenceImages', values) } };
}

/** Text to image, image to image and repainting (spec §3). */
export const generate = imageOperation({
	name: 'Generate',
	value: 'generate',
	action: 'Generate an image',
	description: 'Make pictures from a prompt, from other pictures, or by repainting part of one',
	fields,
	toBody,
});
