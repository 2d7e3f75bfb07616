/** Where one field is to be shown: in this operation, and with one of the choices in each list that is named. */
export interface Rule {
	field: string;
	operation: string;
	when: Record<string, string[]>;
}

/** Reads `rules(['Vary'], { 'Picture Number': { 'Choose By': ['Picture'] } })`. */
function rules(operations: string[], fields: Record<string, Rule['when']>): Rule[] {
	return operations.flatMap((operation) => Object.entries(fields).map(([field, when]) => ({ field, operation, when })));
}

/** A pause has a base address of its own. */
const callbackAddress = {
	'Options › Callback Base URL': { 'When Submitted': ['Wait Here for the Result', 'Return the Task at Once'] },
};

const LITE = ['imgfast-3.1-flash-lite-image', 'imgfast-3.1-flash-lite-image-ext', 'lite-2-lite', 'lite-2-lite-ext'];
const official = { Model: ['ImageGen 2 Official'] };
const someReference = { 'Reference Images': ['From URLs', 'From Input Data', 'From URLs and Input Data'] };

const image = rules(['Generate'], {
	...callbackAddress,
	'Image URLs': { 'Reference Images': ['From URLs', 'From URLs and Input Data'] },
	'Input Data Field Name': { 'Reference Images': ['From Input Data', 'From URLs and Input Data'] },
	'Additional Fields › Background': official,
	'Additional Fields › Mask Input Data Field Name': { ...official, ...someReference },
	'Additional Fields › Mask URL': { ...official, ...someReference },
	'Additional Fields › Moderation': official,
	'Additional Fields › Output Format': official,
	'Additional Fields › Pixel Size': official,
	'Additional Fields › Quality': official,
	'Additional Fields › Send Input Data As': { Model: LITE, 'Reference Images': ['From Input Data', 'From URLs and Input Data'] },
});

/** Without a choice the service takes the lyrics, or infers from what is there. */
const lyrics = { Mode: ['Automatic', 'Custom Lyrics'] };
const described = { Mode: ['Automatic', 'From Description'] };
/** An extension without a choice reads the description only. */
const lyricsOnly = { Mode: ['Custom Lyrics'] };

const words = (when: Rule['when']) => ({
	Prompt: when,
	Description: described,
	Tags: when,
	Title: when,
	'Additional Fields › Audio Weight': when,
	'Additional Fields › Negative Tags': when,
	'Additional Fields › Style Weight': when,
	'Additional Fields › Weirdness': when,
});

const music = [
	...rules(['Add Instrumental', 'Add Stem', 'Add Vocals'], words(lyrics)),
	...rules(['Cover Song'], { ...words(lyrics), 'Additional Fields › Persona ID': lyrics }),
	...rules(['Extend'], {
		...words(lyricsOnly),
		'Additional Fields › Auto Lyrics': lyricsOnly,
		'Additional Fields › Persona ID': lyricsOnly,
	}),
	...rules(['Sample'], { ...words(lyrics), 'Additional Fields › Auto Lyrics': lyrics }),
	...rules(
		[
			'Add Instrumental',
			'Add Stem',
			'Add Vocals',
			'Cover Song',
			'Crop',
			'Extend',
			'Fade In',
			'Generate Sounds',
			'Sample',
			'Separate Stems',
		],
		callbackAddress,
	),
];

const grid = [
	...rules(['Re-Roll', 'Vary', 'Vary Slightly'], { ...callbackAddress, 'Button Name or ID': { 'Choose By': ['Button'] } }),
	...rules(['Vary', 'Vary Slightly'], { 'Picture Number': { 'Choose By': ['Picture'] } }),
];

const someVideo = { Video: ['Edit a Video', 'Take Features From a Video'] };

const video = [
	...rules(['Extend', 'Generate'], callbackAddress),
	...rules(['Generate'], {
		'Image URLs': { Images: ['From URLs', 'From URLs and Input Data'] },
		'Input Data Field Name': { Images: ['From Input Data', 'From URLs and Input Data'] },
		'Images With Roles': { Images: ['With Roles'] },
		'Video URL': someVideo,
		'Shot Type': { 'Multiple Shots': ['on'] },
		Shots: { 'Multiple Shots': ['on'], 'Shot Type': ['Customize'] },
		'Additional Fields › Audio': { Video: ['None'] },
		'Additional Fields › Keep Original Sound': someVideo,
	}),
];

const upload = rules(['Upload'], {
	'Input Data Field Name': { Source: ['Input Data'] },
	URL: { Source: ['URL'] },
});

/** Every field that comes and goes within an operation, as the service's documentation asks for it, by node. */
export const RULES: Record<string, Rule[]> = {
	'MediaGen Image': image,
	'MediaGen Music': music,
	'MediaGen Grid': grid,
	'MediaGen Video': video,
	'MediaGen Upload': upload,
};
