/** Content types by extension, the usual one first. Of two extensions with one type, the first is the usual one. */
const TYPES: Readonly<Record<string, string>> = {
	aac: 'audio/aac audio/x-aac',
	flac: 'audio/flac audio/x-flac',
	m4a: 'audio/mp4 audio/m4a audio/x-m4a',
	mp3: 'audio/mpeg audio/mp3 audio/mpeg3 audio/x-mp3 audio/x-mpeg',
	ogg: 'audio/ogg',
	wav: 'audio/wav audio/wave audio/vnd.wave audio/x-wav',
	avif: 'image/avif',
	gif: 'image/gif',
	jpg: 'image/jpeg image/jpg',
	jpeg: 'image/jpeg',
	png: 'image/png image/x-png',
	webp: 'image/webp',
	mp4: 'video/mp4 video/x-m4v',
	m4v: 'video/mp4',
	mov: 'video/quicktime',
	webm: 'video/webm',
};

const EXTENSIONS = Object.keys(TYPES);

const typesOf = (extension: string) => TYPES[extension]?.split(' ') ?? [];

export const TYPE_OF_EXTENSION: ReadonlyMap<string, string> = new Map(
	EXTENSIONS.flatMap((extension) =>
		typesOf(extension)
			.slice(0, 1)
			.map((type) => [extension, type]),
	),
);

export const EXTENSION_OF_TYPE: ReadonlyMap<string, string> = new Map(
	[...EXTENSIONS]
		.reverse()
		.flatMap((extension) => typesOf(extension).map((type) => [type, extension])),
);

export const MEDIA_EXTENSION = new RegExp(`\\.(${EXTENSIONS.join('|')})$`, 'i');
