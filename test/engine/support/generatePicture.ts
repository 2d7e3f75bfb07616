import { MediaGenImage } from '../../../nodes/MediaGenImage/MediaGenImage.node';
import { type RunOptions, runNode } from './engine';
import type { SandboxOfTests } from './sandbox';
import { goOn } from './settings';

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

/** Buys a picture for each of `count` items, and goes on when one fails, unless `run` says otherwise. */
export const buyPictures = async (
	service: SandboxOfTests,
	count: number,
	run: Partial<RunOptions> = {},
) =>
	await runNode({
		node: new MediaGenImage(),
		parameters: { ...generatePicture, downloadFiles: false },
		items: prompts(count),
		credential: service.credential(),
		...goOn,
		...run,
	});

/** The second picture task that the service accepts fails, and is refunded. */
export const failSecondPicture = ({ sandbox }: SandboxOfTests) =>
	sandbox.faults.add({
		match: { family: 'image' },
		nth: 2,
		effect: { type: 'failTask', message: 'out of luck' },
	});

/** Items with a prompt each: "Picture 0", "Picture 1" … */
export const prompts = (count: number) =>
	Array.from({ length: count }, (_, index) => ({ json: { prompt: `Picture ${index}` } }));
