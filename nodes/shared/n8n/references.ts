import type { INodeProperties } from 'n8n-workflow';

/**
 * Where pictures to start from come from: their URLs, or binary data of the input.
 *
 * @param choice the field whose values `url`, `binary` and `both` show these
 * @param about what the URLs may be
 */
export function referenceFields(choice: string, about: string): INodeProperties[] {
	return [
		{
			displayName: 'Image URLs',
			name: 'imageUrls',
			type: 'string',
			typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Image URL' },
			default: [],
			placeholder: 'e.g. https://example.com/picture.png',
			displayOptions: { show: { [choice]: ['url', 'both'] } },
			description: about,
		},
		{
			displayName: 'Input Data Field Name',
			name: 'imageBinaryProperties',
			type: 'string',
			default: 'data',
			placeholder: 'e.g. data, data2',
			displayOptions: { show: { [choice]: ['binary', 'both'] } },
			hint: 'The names of the input binary fields that hold the pictures, separated by commas. They are uploaded first.',
		},
	];
}
