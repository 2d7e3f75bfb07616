import type { ICredentialDataDecryptedObject, INodeExecutionData } from 'n8n-workflow';
import sharp from 'sharp';

import { setClock } from '../../../nodes/shared/util/clock';
import { createSandbox, type Sandbox } from '../../../sandbox/service';
import { fastClock } from './clocks';
import { type RunResult, storeBinary } from './engine';

/** One clock for the nodes and for the service, so that a minute of waiting takes about a second. */
export const sharedClock = fastClock(50);

export interface SandboxOfTests {
	readonly sandbox: Sandbox;
	credential: () => ICredentialDataDecryptedObject;
}

/** A sandbox for the tests of one file, emptied before each of them, on a clock that it shares with the nodes. */
export function useSandbox(clock = sharedClock, seed = 'engine'): SandboxOfTests {
	let sandbox: Sandbox | undefined;
	const current = () => {
		if (!sandbox) throw new Error('The sandbox runs inside tests only');
		return sandbox;
	};
	beforeAll(async () => {
		setClock(clock);
		sandbox = await createSandbox({ clock, seed });
	});
	beforeEach(() => current().reset());
	afterAll(async () => {
		setClock(undefined);
		await sandbox?.close();
	});
	return {
		get sandbox() {
			return current();
		},
		credential: () => ({
			baseUrl: current().url,
			apiKey: current().key,
			allowPrivateCallbacks: true,
			brandWords: '{}',
		}),
	};
}

/** Submissions, in the order in which the service took them. */
export function submissions(sandbox: Sandbox) {
	return sandbox.requests
		.list()
		.filter(
			({ method, path, task }) => method === 'POST' && task !== null && !path.includes('uploads'),
		);
}

/** The node refused its first item, in these words, and sent nothing. */
export function expectRefused(
	{ sandbox }: SandboxOfTests,
	{ error }: RunResult,
	words: string,
): void {
	expect(error?.message).toContain(words);
	expect(error?.message).toContain('[row 1 (item 0)]');
	expect(sandbox.requests.list()).toEqual([]);
}

/** The bodies of the submissions. */
export const bodiesSent = ({ sandbox }: SandboxOfTests) =>
	submissions(sandbox).map(({ body }) => body as Record<string, unknown>);

/** A picture as bytes. */
export async function picture(
	width: number,
	height: number,
	format: 'png' | 'jpeg' | 'webp' | 'gif' = 'png',
	alpha = false,
): Promise<Buffer> {
	const background = alpha ? { r: 200, g: 30, b: 60, alpha: 0.5 } : { r: 200, g: 30, b: 60 };
	const image = sharp({ create: { width, height, channels: alpha ? 4 : 3, background } });
	return await image.toFormat(format).toBuffer();
}

/** An input item with a file in the binary field `data`. */
export async function fileItem(
	content: Buffer,
	fileName = 'picture.png',
	mimeType = 'image/png',
): Promise<INodeExecutionData> {
	return { json: {}, binary: { data: await storeBinary(content, fileName, mimeType) } };
}
