const TASK = { Get: ['Task ID', 'Options'], Wait: ['Task ID', 'Options'] };

const SUBMITTED = ['Additional Fields', 'When Submitted', 'Options'];
const TRACK = ['Task ID', 'Track Number'];

/** The fields that an operation shows whatever is chosen in them, below Resource and Operation, by node and operation. */
export const OPERATIONS: Record<string, Record<string, string[]>> = {
	'MediaGen Image': { Generate: ['Model', 'Prompt', 'Reference Images', ...SUBMITTED], ...TASK },
	'MediaGen Music': {
		Sample: [...TRACK, 'Sample Start', 'Sample End', 'Mode', ...SUBMITTED],
		'Cover Song': [...TRACK, 'Mode', ...SUBMITTED],
		Extend: [...TRACK, 'Mode', ...SUBMITTED],
		'Add Instrumental': [...TRACK, 'Mode', ...SUBMITTED],
		'Add Vocals': [...TRACK, 'Mode', ...SUBMITTED],
		'Add Stem': [...TRACK, 'Mode', ...SUBMITTED],
		Crop: [...TRACK, 'Start', 'End', ...SUBMITTED],
		'Separate Stems': [...TRACK, 'Stem Type', ...SUBMITTED],
		'Fade In': [...TRACK, ...SUBMITTED],
		'Generate Sounds': ['Prompt', ...SUBMITTED],
		'Enhance Tags': ['Tags', 'Additional Fields', 'Options'],
		...TASK,
	},
	'MediaGen Grid': {
		Vary: ['Task ID', 'Choose By', ...SUBMITTED],
		'Vary Slightly': ['Task ID', 'Choose By', ...SUBMITTED],
		'Re-Roll': ['Task ID', 'Choose By', ...SUBMITTED],
		...TASK,
	},
	'MediaGen Video': {
		Generate: ['Prompt', 'Images', 'Video', 'Multiple Shots', 'Elements', ...SUBMITTED],
		Extend: ['Task ID', 'Model', 'Prompt', ...SUBMITTED],
		...TASK,
	},
	'MediaGen Upload': { Upload: ['Source', 'Options'] },
	'MediaGen Balance': { Get: ['Simplify'], Check: ['Compare', 'Threshold'] },
	'MediaGen Chat Cache': {
		Message: ['Model', 'Cached Blocks', 'Earlier Turns', 'Question', 'Max Tokens', 'Extra Body Fields', 'Options'],
		Completion: ['Model', 'Cached Blocks', 'Earlier Turns', 'Question', 'Max Tokens', 'Extra Body Fields', 'Options'],
	},
	'MediaGen Trigger': { '': ['Trigger On', 'Verify With Service', 'Options'] },
};
