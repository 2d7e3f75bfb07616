import { createHash } from 'crypto';
import type { IExecuteFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { pictureType } from '../api/picture';
import { PendingUpload } from './pendingUpload';

/** Limits on one picture, before it is sent. */
export interface PictureRules {
	/** Label of the field that names the binary property. */
	field: string;
	maxBytes: number;
	/** MIME types that are taken. */
	types: readonly string[];
}

/** Splits "data, mask" into the names of the binary properties it lists. */
export function splitNames(names: unknown): string[] {
	const list = Array.isArray(names) ? names : [names];
	return list
		.filter((name): name is string => typeof name === 'string')
		.flatMap((name) => name.split(','))
		.map((name) => name.trim())
		.filter((name) => name !== '');
}

/**
 * Looks at a picture in an item's binary data without sending it: that it is there, its type by its first bytes,
 * its size. Throws a `NodeOperationError` that names the item and the field.
 */
export async function inspectPicture(
	context: IExecuteFunctions,
	itemIndex: number,
	property: string,
	rules: PictureRules,
): Promise<PendingUpload> {
	const refuse = (reason: string, description?: string) =>
		new NodeOperationError(context.getNode(), `"${rules.field}": ${reason} [item ${itemIndex}]`, {
			itemIndex,
			description,
		});

	if (context.getInputData()[itemIndex]?.binary?.[property] === undefined) {
		throw refuse(
			`the input item has no binary data in the field "${property}"`,
			'Give the name of a field that the "Binary" tab of the input shows.',
		);
	}
	const content = await context.helpers.getBinaryDataBuffer(itemIndex, property);
	const type = pictureType(content);
	if (type === undefined || !rules.types.includes(type)) {
		const allowed = rules.types.map((name) => name.replace('image/', '')).join(', ');
		throw refuse(
			`the file in "${property}" is not a picture that the service takes`,
			`By its content it must be one of ${allowed}, whatever its name says.`,
		);
	}
	if (content.length > rules.maxBytes) {
		throw refuse(`the file in "${property}" has ${content.length} bytes, and ${rules.maxBytes} are the limit`);
	}
	const fingerprint = createHash('sha256').update(content).digest('hex');
	return new PendingUpload(itemIndex, property, type, content.length, fingerprint);
}
