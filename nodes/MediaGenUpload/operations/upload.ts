import type { IExecuteFunctions, INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { LINK_LIFETIME_HOURS } from '../../shared/api/family';
import { toCamelCase } from '../../shared/util/case';
import { PICTURE_TYPES, UPLOAD_MAX_BYTES } from '../../shared/api/picture';
import type { uploadRecord } from '../../shared/api/records';
import { flag, integer, oneOf, text } from '../../shared/util/schema';
import { openPicture } from '../../shared/n8n/binary';
import { concurrencyOption, simplifyOption } from '../../shared/n8n/commonOptions';
import type { Operation } from '../../shared/n8n/describe';
import { errorItem, hasErrorOutput } from '../../shared/n8n/errorItem';
import { toJson } from '../../shared/output/items';
import { uploadPicture } from '../../shared/tasks/uploads';
import { createClient, type ServiceClient } from '../../shared/api/client';
import { clock } from '../../shared/util/clock';
import type { FileSource } from '../../shared/api/multipart';
import { asNodeError } from '../../shared/n8n/nodeErrors';
import { pLimit } from '../../shared/util/vendor/pLimit';
import { z } from '../../shared/util/vendor/zod';
import { fetchPicture } from '../fetchPicture';

const fields: INodeProperties[] = [
	{
		displayName: 'Source',
		name: 'source',
		type: 'options',
		options: [
			{ name: 'Input Data', value: 'binary', description: 'A binary field of the input item' },
			{ name: 'URL', value: 'url', description: 'An address that this n8n fetches the picture from' },
		],
		default: 'binary',
	},
	{
		displayName: 'Input Data Field Name',
		name: 'binaryPropertyName',
		type: 'string',
		required: true,
		default: 'data',
		displayOptions: { show: { source: ['binary'] } },
		hint: 'The name of the input binary field that holds the picture',
	},
	{
		displayName: 'URL',
		name: 'url',
		type: 'string',
		required: true,
		default: '',
		placeholder: 'e.g. https://example.com/picture.png',
		displayOptions: { show: { source: ['url'] } },
	},
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		options: [
			concurrencyOption,
			{
				displayName: 'File Name',
				name: 'fileName',
				type: 'string',
				default: '',
				placeholder: 'e.g. lighthouse.png',
				description: 'Name to store the picture under, in place of its own',
			},
			simplifyOption,
		],
	},
];

const HOUR_MS = 3_600_000;

const uploadOptions = z.object({
	concurrency: integer(1, 100).catch(5),
	simplify: flag().catch(true),
	fileName: z.string().min(1).optional().catch(undefined),
});

const urlText = z.string().catch('');

async function findPicture(context: IExecuteFunctions, itemIndex: number): Promise<FileSource> {
	const source = oneOf(['binary', 'url']).parse(context.getNodeParameter('source', itemIndex));
	if (source === 'url') {
		return await fetchPicture(context, urlText.parse(context.getNodeParameter('url', itemIndex)), itemIndex);
	}
	const property = text().parse(context.getNodeParameter('binaryPropertyName', itemIndex));
	return await openPicture(context, itemIndex, property, {
		field: 'Input Data Field Name',
		maxBytes: UPLOAD_MAX_BYTES,
		types: PICTURE_TYPES,
	});
}

/** The record in camelCase with the date at which the link dies, which the service only states as a lifetime. */
function simplified(record: z.infer<typeof uploadRecord>) {
	const from = record.created_at === undefined ? clock.now() : record.created_at * 1_000;
	return {
		...Object.fromEntries(Object.entries(record).map(([name, value]) => [toCamelCase(name), value])),
		expiresAt: new Date(from + LINK_LIFETIME_HOURS.upload * HOUR_MS).toISOString(),
	};
}

async function uploadItem(
	context: IExecuteFunctions,
	client: ServiceClient,
	itemIndex: number,
): Promise<INodeExecutionData> {
	const options = uploadOptions.parse(context.getNodeParameter('options', itemIndex, {}));
	try {
		const picture = await findPicture(context, itemIndex);
		const record = await uploadPicture(client, {
			...picture,
			fileName: options.fileName ?? picture.fileName,
		});
		return { json: toJson(options.simplify ? simplified(record) : record), pairedItem: { item: itemIndex } };
	} catch (error) {
		const nodeError = asNodeError(context.getNode(), error, { itemIndex });
		if (!context.continueOnFail()) throw nodeError;
		return errorItem(nodeError, itemIndex, hasErrorOutput(context.getNode()));
	}
}

/** Stores a picture for 72 hours and gives its public URL (spec §7): `POST /v1/uploads/images`. */
export const upload: Operation = {
	resource: { name: 'Image', value: 'image' },
	name: 'Upload',
	value: 'upload',
	action: 'Upload an image',
	description: 'Store a picture for 72 hours and get a public URL for it',
	fields,
	async execute(context) {
		const client = await createClient(context, context.getExecutionCancelSignal());
		const { concurrency } = uploadOptions.parse(context.getNodeParameter('options', 0, {}));
		const limit = pLimit(concurrency);
		const items = context
			.getInputData()
			.map(async (_, itemIndex) => await limit(async () => await uploadItem(context, client, itemIndex)));
		return [await Promise.all(items)];
	},
};
