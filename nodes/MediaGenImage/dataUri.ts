import type { IExecuteFunctions } from 'n8n-workflow';

import type { PendingUpload } from '../shared/n8n/pendingUpload';

/** A picture as a data URI, for the models that take one (spec §3b). */
export async function toDataUri(context: IExecuteFunctions, picture: PendingUpload): Promise<string> {
	const content = await context.helpers.getBinaryDataBuffer(picture.itemIndex, picture.property);
	return `data:${picture.mimeType};base64,${content.toString('base64')}`;
}
