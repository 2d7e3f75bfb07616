import { RESULT_KINDS, type ResultKind } from '../api/families';
import { PICTURE_TYPES, UPLOAD_MAX_BYTES } from '../api/uploads';
import { isBlank, isObject, isText } from '../util/json';
import { oneOf, webUrl } from '../util/schema';
import { z } from '../util/vendor/zod';
import { inspectPicture, PendingUpload, type PictureRules } from './binary';
import {
	type ExecutedItem,
	labelOf,
	type ParameterValues,
	parseField,
	refusal,
	requireExpressions,
} from './parameters';

/** The links in a value, also in objects with a `url`, such as the results of another node. An entry without one stays, empty, to be refused. */
function linksIn(value: unknown): unknown[] {
	const orNone = (links: unknown[]) => (links.length > 0 ? links : ['']);
	if (Array.isArray(value)) return value.flatMap((inner) => orNone(linksIn(inner)));
	if (isObject(value) && 'url' in value) return orNone(linksIn(value.url));
	const link = typeof value === 'string' ? value.trim() : value;
	return link === undefined || link === null || link === '' ? [] : [link];
}

/** The kind of a result of another node that is not the wanted one, such as a song's. */
function otherKindIn(value: unknown, wanted: ResultKind): ResultKind | undefined {
	if (Array.isArray(value))
		return value.map((inner) => otherKindIn(inner, wanted)).find((kind) => kind !== undefined);
	const stated = isObject(value) && 'url' in value ? value.kind : undefined;
	return RESULT_KINDS.find((kind) => kind === stated && kind !== wanted);
}

// A comma inside a URL stays, such as the one after the type of a data URI.
const BETWEEN_LINKS = /[\r\n]+\s*|[,;]\s*(?=https?:|data:|[,;]|$)|\s(?=https?:\/\/|data:)/i;

/** The links in the value of a list. A cell of a sheet may hold several, with commas, blanks or line breaks between them. */
function linkList(value: unknown): unknown[] {
	return linksIn(value).flatMap((link) =>
		typeof link === 'string' ? link.split(BETWEEN_LINKS).map((each) => each.trim()) : [link],
	);
}

/** A link, or a picture of the input that has no link until it is uploaded. */
export function picture(link: z.ZodTypeAny = webUrl()) {
	return z.unknown().superRefine((value, issues) => {
		if (value instanceof PendingUpload) return;
		for (const issue of link.safeParse(value).error?.issues ?? []) issues.addIssue(issue);
	});
}

/** What a picture may be unless a model has limits of its own. */
export const PICTURE_RULES = { maxBytes: UPLOAD_MAX_BYTES, types: PICTURE_TYPES, link: webUrl() };

const listSource = oneOf(['url', 'binary', 'both']);

/** Reads the pictures of one item, and the video beside them, by the names of their parameters. */
export class PictureReader {
	constructor(
		private readonly item: ExecutedItem,
		private readonly rules: PictureRules & { link: z.ZodType<unknown> } = PICTURE_RULES,
	) {}

	refusal(name: string, message: string) {
		return refusal(this.item, name, message);
	}

	/** The pictures of the binary fields that a field names: "data, mask". */
	async fromInput(name: string, values: ParameterValues): Promise<PendingUpload[]> {
		const given: unknown[] = Array.isArray(values[name]) ? values[name] : [values[name]];
		const names = given
			.flatMap((each) => (typeof each === 'string' ? each.split(',') : ['']))
			.map((each) => each.trim());
		const named = names.filter((each) => each !== '');
		if (named.length === 0 && !isBlank(values[name]))
			throw this.refusal(name, 'must be the names of binary fields');
		if (named.length > 0 && named.length < names.length)
			throw this.refusal(name, 'must have a name on both sides of each comma');
		const { context, itemIndex } = this.item;
		const field = labelOf(this.item.fields, name);
		const found: PendingUpload[] = [];
		for (const property of named)
			found.push(await inspectPicture({ context, itemIndex, property, field }, this.rules));
		return found;
	}

	links(name: string, values: ParameterValues, kind: 'image' | 'video' = 'image'): unknown[] {
		const other = otherKindIn(values[name], kind);
		if (other !== undefined)
			throw this.refusal(
				name,
				`must give the kind ${kind}, and gives a result of the kind ${other}`,
			);
		return linkList(values[name]);
	}

	/** The one picture or video that a field gives; `undefined` for none, `''` for entries without one. Refuses more: the others would not be sent. */
	private only(name: string, given: readonly unknown[], what = 'picture'): unknown {
		const found = given.filter((each) => each !== '');
		if (found.length > 1)
			throw this.refusal(name, `must be one ${what}, and it gives ${found.length}`);
		return found[0] ?? given[0];
	}

	video(name: string, values: ParameterValues): unknown {
		const { [name]: given } = values;
		// The results of a video have its cover, too, or its sound.
		const isOther = (result: unknown) =>
			isObject(result) && isText(result.kind) && result.kind !== 'video';
		const videos = Array.isArray(given) ? given.filter((each) => !isOther(each)) : [];
		const links = this.links(name, videos.length > 0 ? { [name]: videos } : values, 'video');
		return this.only(name, links, 'video');
	}

	/** The one picture that either of two fields gives: the names of binary fields, or a link. `undefined` for none. */
	async either(binaryProperty: string, url: string, values: ParameterValues): Promise<unknown> {
		const links = this.links(url, values);
		const label = labelOf(this.item.fields, binaryProperty);
		if (links.length > 0 && !isBlank(values[binaryProperty]))
			throw this.refusal(url, `must not be set together with "${label}"`);
		const own = this.only(binaryProperty, await this.fromInput(binaryProperty, values));
		return own ?? this.only(url, links);
	}

	/** The picture of `pictureFields` under this name; `undefined` for None. */
	async optional(name: string, values: ParameterValues): Promise<unknown> {
		const source = `${name}Source`;
		requireExpressions(this.item, values, [source]);
		return (values[source] ?? 'none') === 'none' ? undefined : await this.one(name, values);
	}

	async one(name: string, values: ParameterValues): Promise<unknown> {
		const source = values[`${name}Source`];
		if (source === 'binary') {
			const property = `${name}BinaryProperty`;
			const own = this.only(property, await this.fromInput(property, values));
			if (own !== undefined) return own;
			throw this.refusal(property, 'is required');
		}
		if (source !== 'url') throw this.refusal(`${name}Source`, 'must be one of binary, url');
		const url = `${name}Url`;
		const link = this.only(url, this.links(url, values));
		return parseField(this.item, url, this.rules.link, link);
	}

	/** The pictures of `pictureListFields`, at least one, by the name of the field that chooses their source. */
	async list(name: string, values: ParameterValues): Promise<unknown[]> {
		const source = parseField(this.item, name, listSource, values[name]);
		if (source === 'both')
			requireExpressions(this.item, values, ['imageUrls', 'imageBinaryProperties']);
		const links = source === 'binary' ? [] : this.links('imageUrls', values);
		const own = source === 'url' ? [] : await this.fromInput('imageBinaryProperties', values);
		if (links.length + own.length > 0) return [...links, ...own];
		throw this.refusal(
			source === 'binary' ? 'imageBinaryProperties' : 'imageUrls',
			'is required, or choose None',
		);
	}
}
