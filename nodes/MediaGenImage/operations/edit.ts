import type { INodeProperties } from 'n8n-workflow';

import { promptField } from '../../shared/n8n/fields';
import { type ExecutedItem, type ParameterValues, unsentNotes } from '../../shared/n8n/parameters';
import { pictureFields } from '../../shared/n8n/pictureFields';
import { PictureReader } from '../../shared/n8n/pictures';
import type { PanelBody } from '../../shared/tasks/prepare';
import { countField, modelField, sizeFields } from './generate/fields';
import { maskRules, referenceRules } from './generate/references';
import { imageOperation } from './generate/request';

const fields: INodeProperties[] = [
	modelField,
	...pictureFields({
		name: 'image',
		label: 'Image',
		property: 'data',
		description: 'The picture to edit',
	}),
	...pictureFields({
		name: 'mask',
		label: 'Mask',
		property: 'mask',
		optional: true,
		description:
			'Limits the edit to a part: a picture with an alpha channel, of the same size. The lite models do not repaint.',
	}),
	promptField({
		required: true,
		placeholder: 'e.g. Replace the sky with a sunset',
		description: 'What to change. The service reviews it and refuses what violates its rules.',
	}),
	...sizeFields,
	countField,
];

async function toBody(values: ParameterValues, item: ExecutedItem): Promise<PanelBody> {
	const { model, prompt, size, n, maskSource = 'none' } = values;
	const image = await new PictureReader(item, referenceRules(model)).one('image', values);
	const mask = await new PictureReader(item, maskRules(model)).optional('mask', values);
	return {
		body: { model, prompt, size, n, imageUrls: [image], maskUrl: mask },
		notes: maskSource === 'none' ? unsentNotes(fields, values, ['maskUrl'], '"Mask" is None') : [],
	};
}

/** Image to image and repainting from one picture (spec §3). */
export const edit = imageOperation({
	name: 'Edit',
	value: 'edit',
	action: 'Edit an image',
	description: 'Change a picture by a prompt: all of it, or the part that a mask leaves open',
	fields,
	toBody,
});
