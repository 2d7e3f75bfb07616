export const EXTENSION_OF_TYPE: Record<string, string> = {
	'audio/aac': 'aac',
	'audio/flac': 'flac',
	'audio/mp4': 'm4a',
	'audio/mpeg': 'mp3',
	'audio/ogg': 'ogg',
	'audio/wav': 'wav',
	'audio/x-wav': 'wav',
	'image/avif': 'avif',
	'image/gif': 'gif',
	'image/jpeg': 'jpg',
	'image/png': 'png',
	'image/webp': 'webp',
	'video/mp4': 'mp4',
	'video/quicktime': 'mov',
	'video/webm': 'webm',
};

export const TYPE_OF_EXTENSION: ReadonlyMap<string, string> = new Map([
	['jpeg', 'image/jpeg'],
	['m4v', 'video/mp4'],
	// Of two types with one extension, the first.
	...Object.entries(EXTENSION_OF_TYPE)
		.reverse()
		.map(([type, extension]) => [extension, type] as const),
]);

export const MEDIA_EXTENSION = new RegExp(`\\.(${[...TYPE_OF_EXTENSION.keys()].join('|')})$`, 'i');
