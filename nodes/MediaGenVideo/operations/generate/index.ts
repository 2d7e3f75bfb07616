import type { INode } from 'n8n-workflow';

import {
	type ExecutedItem,
	isGiven,
	type ParameterValues,
	requireExpressions,
	unsentNotes,
} from '../../../shared/n8n/parameters';
import { PictureReader } from '../../../shared/n8n/pictures';
import { buyingOperation } from '../../../shared/tasks/execute';
import type { PanelBody } from '../../../shared/tasks/prepare';
import { objectOf, objectsIn } from '../../../shared/util/json';
import { toApiName } from '../../../shared/util/names';
import { flag } from '../../../shared/util/schema';
import { z } from '../../../shared/util/vendor/zod';
import { generateFields } from './fields';
import { videoRequest } from './request';
import { videoNotes } from './notes';

const group = z.record(z.unknown());

/** Converts each group of a fixed collection. Anything else is left to the schema, which names the field. */
async function eachGroup(
	given: unknown,
	convert: (values: ParameterValues, at: number) => Promise<ParameterValues>,
): Promise<unknown> {
	const groups = z.array(group).safeParse(given);
	return groups.success ? await Promise.all(groups.data.map(convert)) : given;
}

/** Indexes of the rows of a fixed collection that are not empty in the panel. */
function filledRows(collection: unknown): number[] {
	const rows = Object.values(objectOf(collection)).flatMap(objectsIn);
	return rows.flatMap((row, at) => (Object.values(row).some(isGiven) ? [at] : []));
}

/** Refuses a row whose expressions are all empty: it is not among the values, and what it is for would be missing. */
function refuseEmptyRows(
	pictures: PictureReader,
	name: string,
	filled: readonly number[],
	given: unknown,
): void {
	if (filled.length > objectsIn(given).length)
		throw pictures.refusal(name, 'must have no entry whose expressions are all empty');
}

async function withRoles(
	given: unknown,
	pictures: PictureReader,
	{ parameters }: INode,
): Promise<unknown> {
	if (given === undefined) throw pictures.refusal('imageWithRoles', 'is required, or choose None');
	refuseEmptyRows(pictures, 'imageWithRoles', filledRows(parameters.imageWithRoles), given);
	return await eachGroup(given, async (values) => {
		const { binaryProperty: _name, ...image } = values;
		return { ...image, url: await pictures.either('binaryProperty', 'url', values) };
	});
}

/** The images by "Images". A choice without a picture is refused: the service would make a clip from the prompt alone. */
async function imagesOf(
	values: ParameterValues,
	pictures: PictureReader,
	node: INode,
): Promise<ParameterValues> {
	const { imageInput = 'none', imageWithRoles } = values;
	const frame = async (name: string) => ({
		url: await pictures.one(name, values),
		role: toApiName(name),
	});
	switch (imageInput) {
		case 'none':
			return {};
		case 'firstFrame':
			return { imageWithRoles: [await frame('firstFrame')] };
		case 'firstAndLastFrame':
			return { imageWithRoles: [await frame('firstFrame'), await frame('lastFrame')] };
		case 'references':
			return { imageUrls: await pictures.list('referenceSource', values) };
		case 'roles':
			return { imageWithRoles: await withRoles(imageWithRoles, pictures, node) };
		default:
			throw pictures.refusal(
				'imageInput',
				'must be one of none, firstFrame, firstAndLastFrame, references, roles',
			);
	}
}

async function elementsOf(
	elementList: unknown,
	pictures: PictureReader,
	item: ExecutedItem,
): Promise<ParameterValues> {
	const { additionalFields } = item.context.getNode().parameters;
	const filled = filledRows(objectOf(additionalFields).elementList);
	refuseEmptyRows(pictures, 'elementList', filled, elementList);
	if (elementList === undefined) return {};
	return {
		elementList: await eachGroup(elementList, async (values, at) => {
			const { binaryProperties: _names, elementInputUrls: _urls, ...element } = values;
			requireExpressions(
				item,
				values,
				['elementInputUrls', 'binaryProperties'],
				['additionalFields', 'elementList', 'element', filled[at] ?? at],
			);
			return {
				...element,
				elementInputUrls: [
					...pictures.links('elementInputUrls', values),
					...(await pictures.fromInput('binaryProperties', values)),
				],
			};
		}),
	};
}

const hasVideo = ({ referType = 'none' }: ParameterValues) => referType !== 'none';

function videoOf(values: ParameterValues, pictures: PictureReader): ParameterValues {
	if (!hasVideo(values)) return {};
	const { referType, keepOriginalSound } = values;
	const videoUrl = pictures.video('videoUrl', values);
	return { videoList: [{ referType, videoUrl, keepOriginalSound }] };
}

const isOff = (multiShot: unknown) =>
	multiShot === undefined || flag().safeParse(multiShot).data === false;

const isDivided = (shotType: unknown) => shotType === 'intelligence';

// One shot is the service's default, so the switch is sent only when it is on.
function shotsOf(
	{ multiShot, shotType, multiPrompt }: ParameterValues,
	pictures: PictureReader,
	{ parameters }: INode,
): ParameterValues {
	if (isOff(multiShot)) return {};
	if (!isDivided(shotType))
		refuseEmptyRows(pictures, 'multiPrompt', filledRows(parameters.multiPrompt), multiPrompt);
	return { multiShot, shotType, multiPrompt: isDivided(shotType) ? undefined : multiPrompt };
}

/** The choices of "Images" that send a parameter. */
const SENT_BY: Readonly<Record<string, readonly unknown[]>> = {
	firstFrameUrl: ['firstFrame', 'firstAndLastFrame'],
	lastFrameUrl: ['firstAndLastFrame'],
	imageUrls: ['references'],
	imageWithRoles: ['roles'],
};

function unsentOf(values: ParameterValues): string[] {
	const { imageInput = 'none', multiShot, shotType } = values;
	const unusedImages = Object.keys(SENT_BY).filter((name) => !SENT_BY[name]?.includes(imageInput));
	const name = imageInput === 'none' ? '"Images" is None' : '"Images" has another choice';
	const otherShots = isDivided(shotType) ? '"Shot Type" is Intelligence' : undefined;
	const unsent = [
		[unusedImages, name],
		[['videoUrl', 'keepOriginalSound'], hasVideo(values) ? undefined : '"Video" is None'],
		[['multiPrompt'], isOff(multiShot) ? '"Multiple Shots" is off' : otherShots],
	] as const;
	return unsent.flatMap(([names, reason]) =>
		reason === undefined ? [] : unsentNotes(generateFields, values, names, reason),
	);
}

/** Turns the choices of the panel into the fields of a generation (spec §6). Throws for a file that is not a picture. */
async function toBody(values: ParameterValues, item: ExecutedItem): Promise<PanelBody> {
	const { model, prompt, negativePrompt, mode, duration, aspectRatio, watermark, audio } = values;
	const pictures = new PictureReader(item);
	const node = item.context.getNode();
	requireExpressions(item, values, ['imageInput', 'referType']);
	return {
		body: {
			model,
			prompt,
			negativePrompt,
			mode,
			duration,
			aspectRatio,
			watermark,
			audio,
			...(await imagesOf(values, pictures, node)),
			...videoOf(values, pictures),
			...shotsOf(values, pictures, node),
			...(await elementsOf(values.elementList, pictures, item)),
		},
		notes: unsentOf(values),
	};
}

/** Text to video, image to video and editing (spec §6). */
export const generate = buyingOperation({
	family: 'video',
	resource: { name: 'Video', value: 'video' },
	name: 'Generate',
	value: 'generate',
	action: 'Generate a video',
	description: 'Make a video from a prompt, from images, or from another video',
	fields: generateFields,
	schema: videoRequest,
	toBody,
	path: '/v1/videos/generations',
	notes: videoNotes,
});
