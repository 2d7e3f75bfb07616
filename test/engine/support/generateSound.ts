/** Parameters of MediaGen Music that make a sound of each item's prompt: the simplest purchase. */
export const generateSound = {
	resource: 'music',
	operation: 'sounds',
	prompt: '={{ $json.prompt ?? "Waves" }}',
	waitMode: 'poll',
	downloadFiles: false,
	options: { pollInterval: 1 },
};

/** Credits that one such sound costs in the sandbox. */
export const SOUND_CREDITS = 120;

/** Items with a prompt each: "Sound 0", "Sound 1" … */
export const soundPrompts = (count: number) =>
	Array.from({ length: count }, (_, index) => ({ json: { prompt: `Sound ${index}` } }));
