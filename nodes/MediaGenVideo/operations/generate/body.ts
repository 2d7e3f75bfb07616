import type { IExecuteFunctions } from 'n8n-workflow';

import { PICTURE_TYPES, UPLOAD_MAX_BYTES } from '../shared/api/picture';
import { inspectPicture, splitNames } from '../shared/n8n/binary';
import type { ParameterValues } from '../shared/n8n/parameters';
import { z } from '../shared/util/vendor/zod';

/** Looks at the pictures that the named binary fields of an item hold. */
type Pictures = (names: unknown, field: string) => Promise<unknown[]>;

function picturesOf(context: IExecuteFunctions, itemIndex: number): Pictures {
	return async (names, field) => {
		const found: unknown[] = [];
		for (const property of splitNames(names)) {
			const rules = { field, maxBytes: UPLOAD_MAX_BYTES, types: PICTURE_TYPES };
			found.push(await inspectPicture(context, itemIndex, property, rules));
		}
		return found;
	};
}

const group = z.record(z.unknown());

/** The groups of a fixed collection. What is none is left to the schema, which says so with the field's name. */
async function eachGroup(
	given: unknown,
	turn: (values: ParameterValues) => Promise<ParameterValues>,
): Promise<unknown> {
	const groups = z.array(group).safeParse(given);
	return groups.success ? await Promise.all(groups.data.map(turn)) : given;
}

const isOneOf = (value: unknown, ...known: string[]) => known.some((one) => one === value);

async function imagesOf(values: ParameterValues, pictures: Pictures): Promise<ParameterValues> {
	const { imageInput, imageUrls, imageBinaryProperties, imageWithRoles } = values;
	if (imageInput === 'roles') {
		return {
			imageWithRoles: await eachGroup(imageWithRoles, async ({ binaryProperty, ...image }) => {
				const [own] = await pictures(binaryProperty, 'Input Data Field Name');
				return own === undefined ? image : { ...image, url: own };
			}),
		};
	}
	const images = [
		...(isOneOf(imageInput, 'url', 'both') ? [imageUrls ?? []].flat() : []),
		...(isOneOf(imageInput, 'binary', 'both')
			? await pictures(imageBinaryProperties, 'Input Data Field Name')
			: []),
	];
	return images.length > 0 ? { imageUrls: images } : {};
}

async function elementsOf(elementList: unknown, pictures: Pictures): Promise<ParameterValues> {
	if (elementList === undefined) return {};
	return {
		elementList: await eachGroup(elementList, async ({ binaryProperties, elementInputUrls, ...element }) => ({
			...element,
			elementInputUrls: [
				...[elementInputUrls ?? []].flat(),
				...(await pictures(binaryProperties, 'Input Data Field Name')),
			],
		})),
	};
}

function videoOf({ referType, videoUrl, keepOriginalSound }: ParameterValues): ParameterValues {
	if (referType === undefined || referType === 'none') return {};
	return { videoList: [{ videoUrl, referType, ...(keepOriginalSound === undefined ? {} : { keepOriginalSound }) }] };
}

// One shot is what the service makes unless it is told otherwise, so the switch is sent only where it is on.
function shotsOf({ multiShot, shotType, multiPrompt }: ParameterValues): ParameterValues {
	if (multiShot === false || multiShot === 'false' || multiShot === undefined) return {};
	return { multiShot, shotType, ...(shotType === 'customize' ? { multiPrompt } : {}) };
}

/** Parameters that are put together into other fields, or only decide about them. */
const CHOICES = new Set([
	'imageInput',
	'imageUrls',
	'imageBinaryProperties',
	'imageWithRoles',
	'referType',
	'videoUrl',
	'keepOriginalSound',
	'multiShot',
	'shotType',
	'multiPrompt',
	'elementList',
]);

/** Turns the choices of the panel into the fields of a generation (spec §6). Throws for a picture that is none. */
export async function generateBody(
	values: ParameterValues,
	context: IExecuteFunctions,
	itemIndex: number,
): Promise<ParameterValues> {
	const pictures = picturesOf(context, itemIndex);
	const others = Object.fromEntries(Object.entries(values).filter(([name]) => !CHOICES.has(name)));
	return {
		...others,
		...(await imagesOf(values, pictures)),
		...videoOf(values),
		...shotsOf(values),
		...(await elementsOf(values.elementList, pictures)),
	};
}
