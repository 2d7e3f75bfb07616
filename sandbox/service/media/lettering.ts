import { readFileSync } from 'node:fs';
import { parse, type Font, type PathCommand } from 'opentype.js';

let font: Font | undefined;

/**
 * A text as the outline of its letters, so that a picture does not depend on the machine's fonts.
 * @param size height of the letters in pixels
 * @returns SVG path data, with the start of the baseline at 0,0, and the width
 */
export function lettering(text: string, size: number): { path: string; width: number } {
	const inter = (font ??= loadFont());
	let width = 0;
	let path = '';
	// Letter by letter, because the parser does not know every substitution rule of the font.
	for (const letter of text) {
		const glyph = inter.charToGlyph(letter);
		path += glyph.getPath(width, 0, size).commands.map(svgCommand).join('');
		width += ((glyph.advanceWidth ?? inter.unitsPerEm / 2) / inter.unitsPerEm) * size;
	}
	return { path, width };
}

/** The library's own function omits the space before a zero, which joins two numbers. */
function svgCommand(command: PathCommand): string {
	const point = (x: number, y: number) => `${x.toFixed(1)} ${y.toFixed(1)} `;
	switch (command.type) {
		case 'M':
		case 'L':
			return command.type + point(command.x, command.y);
		case 'Q':
			return `Q${point(command.x1, command.y1)}${point(command.x, command.y)}`;
		case 'C':
			return `C${point(command.x1, command.y1)}${point(command.x2, command.y2)}${point(command.x, command.y)}`;
		case 'Z':
			return 'Z';
	}
}

function loadFont(): Font {
	const file = readFileSync(require.resolve('@fontsource/inter/files/inter-latin-700-normal.woff'));
	return parse(file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength));
}
