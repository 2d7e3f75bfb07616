import type { IExecuteFunctions } from 'n8n-workflow';

import { DATA_URI_TYPES, isLiteModel, OFFICIAL_MODEL, PICTURE_TYPES, REFERENCE_LIMITS, UPLOAD_MAX_BYTES } from '../../../shared/api/image';
import { PendingUpload } from '../../../shared/n8n/binary';
import { type ParameterValues, unsentNotes } from '../../../shared/n8n/parameters';
import { PictureReader } from '../../../shared/n8n/pictures';
import { taskOperation } from '../../../shared/tasks/execute';
import { additionalFields, generateFields } from './fields';
import { imageNotes, imageRequest } from './request';

/** A picture as a data URI, for the models that take one (spec §3b). */
async function toDataUri(context: IExecuteFunctions, picture: PendingUpload): Promise<string> {
	const content = await context.helpers.getBinaryDataBuffer(picture.itemIndex, picture.property);
	return `data:${picture.mimeType};base64,${content.toString('base64')}`;
}

function maxBytesOf(model: unknown): number {
	if (isLiteModel(model)) return REFERENCE_LIMITS.lite.bytes;
	return model === OFFICIAL_MODEL ? Math.min(REFERENCE_LIMITS.official.bytes, UPLOAD_MAX_BYTES) : UPLOAD_MAX_BYTES;
}

const fields = [...generateFields, additionalFields];

async function maskOf({ maskBinaryProperty, maskUrl }: ParameterValues, context: IExecuteFunctions, itemIndex: number): Promise<ParameterValues> {
	const [mask = maskUrl] = await new PictureReader(context, fields, itemIndex).fromInput('mask_binary_property', maskBinaryProperty);
	return mask === undefined ? {} : { maskUrl: mask };
}

/** Turns the choices of the panel into the fields of a generation (spec §3). */
async function toBody(values: ParameterValues, context: IExecuteFunctions, itemIndex: number): Promise<ParameterValues> {
	const { referenceImages = 'none', imageUrls, imageBinaryProperties, maskBinaryProperty, maskUrl, sendInputDataAs, ...body } = values;
	if (maskBinaryProperty !== undefined && maskUrl !== undefined) {
		throw new PictureReader(context, fields, itemIndex).refusal('mask_url', 'must not be set together with "Mask Input Data Field Name"');
	}
	if (referenceImages === 'none') {
		const reason = '"Reference Images" is None';
		const unsent = unsentNotes(fields, values, ['imageUrls'], reason);
		// A mask left over from another choice is not meant. Where the choice comes from the item, the item lacks its reference image.
		const isFixed = context.getNode().parameters.referenceImages === 'none';
		if (isFixed) return { ...body, unsent: [...unsent, ...unsentNotes(fields, values, ['maskBinaryProperty', 'maskUrl'], reason)] };
		return { ...body, ...(await maskOf(values, context, itemIndex)), unsent };
	}
	const asDataUri = sendInputDataAs === 'dataUri' && body.model !== OFFICIAL_MODEL;
	const types = asDataUri ? DATA_URI_TYPES : PICTURE_TYPES;
	const references = new PictureReader(context, fields, itemIndex, { maxBytes: maxBytesOf(body.model), types });
	const images: unknown[] = [];
	for (const image of await references.list(referenceImages, { imageUrls, imageBinaryProperties })) {
		images.push(asDataUri && image instanceof PendingUpload ? await toDataUri(context, image) : image);
	}
	return { ...body, imageUrls: images, ...(await maskOf(values, context, itemIndex)) };
}

/** Text to image, image to image and repainting (spec §3): `POST /v1/images/generations`. */
export const generate = taskOperation({
	family: 'image',
	resource: { name: 'Image', value: 'image' },
	name: 'Generate',
	value: 'generate',
	action: 'Generate an image',
	description: 'Make pictures from a prompt, from other pictures, or by repainting part of one',
	fields,
	advanced: [additionalFields],
	schema: imageRequest,
	toBody,
	toRequest: (body) => ({ path: '/v1/images/generations', body }),
	notes: imageNotes,
});
