import { readFileSync } from 'node:fs';

/** A link or an image of a page. */
export interface Link {
	line: number;
	/** As it is written, without a title. */
	target: string;
}

const FENCE = /^\s*(```|~~~)/;

/** `[text](target "title")` and `![text](target)`; a target with blanks stands in angle brackets. */
const INLINE = /\]\(\s*(?:<([^>]+)>|([^)\s]+))(?:\s+["'][^"']*["'])?\s*\)/g;

/** `[name]: target` */
const DEFINITION = /^\s{0,3}\[[^\]]+\]:\s+<?([^\s>]+)>?/;

const HTML = /<(?:a|img|source|video)\b[^>]*?\b(?:href|src)=["']([^"']+)["']/g;

/** The lines of a page, those of code blocks blanked. */
function proseLines(text: string): string[] {
	let fence: string | undefined;
	return text.split('\n').map((line) => {
		const mark = FENCE.exec(line)?.[1];
		if (fence !== undefined) {
			if (mark === fence) fence = undefined;
			return '';
		}
		fence = mark;
		return mark === undefined ? line : '';
	});
}

const withoutCode = (line: string) => line.replace(/(`+)(?:(?!\1).)*\1/g, '');

/** All links and images of a page, other than those in code. */
export function linksOf(file: string): Link[] {
	return proseLines(readFileSync(file, 'utf8')).flatMap((raw, at) => {
		const line = withoutCode(raw);
		const found = [
			...[...line.matchAll(INLINE)].map(([, bracketed, bare]) => bracketed ?? bare),
			...[...line.matchAll(HTML)].map(([, target]) => target),
			DEFINITION.exec(line)?.[1],
		];
		return found.flatMap((target) => (target === undefined ? [] : [{ line: at + 1, target }]));
	});
}

/** A heading's anchor as GitHub makes it, without the number that sets equal ones apart. */
function slugOf(heading: string): string {
	return heading
		.replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
		.replace(/[`*]/g, '')
		.trim()
		.toLowerCase()
		.replace(/[^\p{L}\p{N}\p{M}\s_-]/gu, '')
		.replace(/\s/g, '-');
}

/** The anchors of a page: of its headings, and those that it sets by itself. */
export function anchorsOf(file: string): Set<string> {
	const anchors = new Set<string>();
	const seen = new Map<string, number>();
	for (const line of proseLines(readFileSync(file, 'utf8'))) {
		for (const [, own] of line.matchAll(/<[^>]*\b(?:id|name)=["']([^"']+)["']/g)) if (own) anchors.add(own);
		const heading = /^#{1,6}\s+(.*?)\s*#*\s*$/.exec(line)?.[1];
		if (heading === undefined) continue;
		const slug = slugOf(heading);
		const before = seen.get(slug) ?? 0;
		seen.set(slug, before + 1);
		anchors.add(before === 0 ? slug : `${slug}-${before}`);
	}
	return anchors;
}
