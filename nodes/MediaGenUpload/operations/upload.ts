import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { type MediaGenClient, openClient } from '../../shared/api/client';
import { UPLOAD_LINK_HOURS, type UploadRecord } from '../../shared/api/uploads';
import { openPicture, reopenFile } from '../../shared/n8n/binary';
import { asNodeError, endpointHint } from '../../shared/n8n/nodeErrors';
import type { Operation } from '../../shared/n8n/describe';
import {
	forEachItem,
	isFailed,
	itemOrError,
	throwFirstError,
	toOutputItems,
} from '../../shared/n8n/failedItems';
import { listField, optionsOf, textField } from '../../shared/n8n/fields';
import {
	commonOptions,
	fieldsOf,
	itemText,
	optionsField,
	textIfSet,
} from '../../shared/n8n/options';
import { parseParameters } from '../../shared/n8n/parameters';
import { PICTURE_RULES } from '../../shared/n8n/pictures';
import { firstItemOf, readSharedOptions } from '../../shared/n8n/readOptions';
import { checkAddress } from '../../shared/output/download';
import { clock, HOUR_MS } from '../../shared/util/clock';
import { toJson } from '../../shared/util/json';
import { camelCased } from '../../shared/util/names';
import { oneOf, text, toId, webUrl } from '../../shared/util/schema';
import { pLimit } from '../../shared/util/vendor/pLimit';
import { z } from '../../shared/util/vendor/zod';
import { fetchPicture } from '../fetchPicture';

const { concurrency, simplify } = commonOptions;

const uploadOptions = z.object({ concurrency, simplify });

const pictureOptions = z.object({
	fileName: textIfSet(itemText, {
		displayName: 'File Name',
		placeholder: 'e.g. lighthouse.png',
		description: 'Name to store the picture under, in place of its own',
	}),
});

const fields: INodeProperties[] = [
	listField({
		displayName: 'Source',
		name: 'source',
		options: optionsOf({
			binary: ['Input Data', 'A binary field of the input item'],
			url: ['URL', 'An address that this n8n fetches the picture from'],
		}),
	}),
	textField({
		displayName: 'Input Data Field Name',
		name: 'binaryPropertyName',
		required: true,
		default: 'data',
		displayOptions: { show: { source: ['binary'] } },
		hint: 'The name of the input binary field that holds the picture',
	}),
	textField({
		displayName: 'URL',
		// Not `required`: n8n would also ask for it where an expression gives "Source".
		name: 'url',
		placeholder: 'e.g. https://example.com/picture.png',
		displayOptions: { show: { source: ['url'] } },
	}),
	optionsField(fieldsOf({ ...uploadOptions.shape, ...pictureOptions.shape })),
];

const anySource = z.object({ source: oneOf(['binary', 'url']) });

const fromUrl = z.object({ url: z.preprocess(toId, webUrl()) });

const fromInput = z.object({ binaryPropertyName: z.preprocess(toId, text()) });

/** Checks what an item gives, as far as that needs no request. */
async function preparePicture(
	context: IExecuteFunctions,
	{ connection }: MediaGenClient,
	itemIndex: number,
) {
	const item = { context, fields, itemIndex };
	const { fileName } = pictureOptions.parse(context.getNodeParameter('options', itemIndex, {}));
	if (parseParameters(item, anySource).source === 'url') {
		const { url } = parseParameters(item, fromUrl);
		checkAddress(url, connection);
		return { fileName, read: async () => await fetchPicture(context, connection, url, itemIndex) };
	}
	const { binaryPropertyName: property } = parseParameters(item, fromInput);
	const place = { context, itemIndex, property, field: 'Input Data Field Name' };
	const { mimeType } = await openPicture(place, PICTURE_RULES);
	// Opened again when its turn comes: n8n may have all pictures in memory, as text.
	const read = async () => await reopenFile(context, { itemIndex, property, mimeType });
	return { fileName, read };
}

/** The record in camelCase, with the date at which the link expires: the specification has its lifetime only. */
function toUpload({ raw, url, createdAt = clock.now(), expiresAt }: UploadRecord) {
	const expires = expiresAt ?? createdAt + UPLOAD_LINK_HOURS * HOUR_MS;
	return { ...camelCased(raw), url, expiresAt: new Date(expires).toISOString() };
}

/** Stores a picture for 72 hours and returns its public URL (spec §7): `POST /v1/uploads/images`. */
export const upload: Operation = {
	resource: { name: 'Image', value: 'image' },
	name: 'Upload',
	value: 'upload',
	action: 'Upload an image',
	description: 'Store a picture for 72 hours and get a public URL for it',
	fields,
	async execute(context) {
		const client = await openClient(context, context.getExecutionCancelSignal());
		const options = readSharedOptions(firstItemOf(context), uploadOptions);
		const pictures = await forEachItem(
			context,
			async (itemIndex) => await preparePicture(context, client, itemIndex),
		);
		throwFirstError(context, pictures);
		const limit = pLimit(options.concurrency);
		const results = await Promise.all(
			pictures.map(async (picture, itemIndex) => {
				if (isFailed(picture)) return picture;
				const work = async () => {
					const file = await picture.read();
					const fileName = picture.fileName ?? file.fileName;
					const record = await client.uploads
						.create({ ...file, fileName })
						.catch((error: unknown) => {
							throw asNodeError(context.getNode(), error, { itemIndex, hint: endpointHint(error) });
						});
					return {
						json: toJson(options.simplify ? toUpload(record) : record.raw),
						pairedItem: { item: itemIndex },
					};
				};
				return await limit(async () => await itemOrError(context, itemIndex, work));
			}),
		);
		return [toOutputItems(context, results)];
	},
};
