import type { IDisplayOptions, INodeProperties } from 'n8n-workflow';

import { listField, textField } from './fields';

const FROM_INPUT = { name: 'From Input Data', value: 'binary' };

const SOURCES = [FROM_INPUT, { name: 'From URL', value: 'url' }];

interface PictureField {
	/** Begins the names of its parameters: `mask` gives `maskSource`, `maskBinaryProperty` and `maskUrl`. */
	name: string;
	label: string;
	/** The binary field that is read unless the user names another. */
	property: string;
	optional?: boolean;
	description?: string;
	show?: IDisplayOptions['show'];
}

export function pictureFields(field: PictureField): INodeProperties[] {
	const { name, label, property, optional = false, description, show } = field;
	const shown = (source: string): IDisplayOptions => ({
		show: { ...show, [`${name}Source`]: [source] },
	});
	return [
		listField({
			displayName: label,
			name: `${name}Source`,
			options: optional ? [{ name: 'None', value: 'none' }, ...SOURCES] : SOURCES,
			displayOptions: show && { show },
			description,
		}),
		textField({
			displayName: `${label} Input Data Field Name`,
			name: `${name}BinaryProperty`,
			default: property,
			displayOptions: shown('binary'),
			placeholder: `e.g. ${property}`,
			hint: 'The name of the input binary field that holds the picture. It is uploaded first.',
		}),
		textField({
			displayName: `${label} URL`,
			name: `${name}Url`,
			displayOptions: shown('url'),
			placeholder: 'e.g. https://example.com/picture.png',
			description: 'A public address',
		}),
	];
}

interface PictureList {
	choice: string;
	show?: IDisplayOptions['show'];
	description: string;
}

export const LIST_SOURCES = [
	FROM_INPUT,
	{ name: 'From URLs', value: 'url' },
	{ name: 'From URLs and Input Data', value: 'both', description: 'The URLs come first' },
];

/** The fields of a list of pictures, below the choice of `LIST_SOURCES`. */
export function pictureListFields({ choice, show, description }: PictureList): INodeProperties[] {
	return [
		textField({
			displayName: 'Image URLs',
			name: 'imageUrls',
			typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Image URL' },
			default: [],
			placeholder: 'e.g. https://example.com/picture.png',
			displayOptions: { show: { ...show, [choice]: ['url', 'both'] } },
			description,
		}),
		textField({
			displayName: 'Input Data Field Name',
			name: 'imageBinaryProperties',
			default: 'data',
			placeholder: 'e.g. data, data_2',
			displayOptions: { show: { ...show, [choice]: ['binary', 'both'] } },
			hint: 'The names of the input binary fields that hold the pictures, separated by commas. They are uploaded first.',
		}),
	];
}
