/** Parameters of MediaGen Image that make one picture of each item's prompt. */
export const generatePicture = {
	resource: 'image',
	operation: 'generate',
	model: 'imagegen-2-official',
	prompt: '={{ $json.prompt ?? "A lighthouse" }}',
	referenceImages: 'none',
	waitMode: 'poll',
	options: { pollInterval: 1 },
};

/** Items with a prompt each: "Picture 0", "Picture 1" … */
export const prompts = (count: number) =>
	Array.from({ length: count }, (_, index) => ({ json: { prompt: `Picture ${index}` } }));
