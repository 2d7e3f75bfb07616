import sharp from 'sharp';
import type { Sandbox } from '../../../sandbox/service';
import { ask, text, type Answer, type Json } from './sandbox';

export const IMAGES = '/v1/images/generations';
export const OFFICIAL = { model: 'imagegen-2-official', prompt: 'a lighthouse at dusk' };
export const LITE = { model: 'imgfast-3.1-flash-lite-image', prompt: 'a lighthouse at dusk' };

export const firstUrl = (task: Json) => text(task.result?.images?.[0]?.url?.[0]);

export async function plainImage(
	format: 'png' | 'jpeg' | 'webp' | 'gif',
	{ width = 64, height = 64, alpha = false } = {},
): Promise<Buffer> {
	const background = { r: 20, g: 120, b: 200, alpha: alpha ? 0.5 : 1 };
	return await sharp({ create: { width, height, channels: alpha ? 4 : 3, background } })
		.toFormat(format)
		.toBuffer();
}

export interface UploadParts {
	field?: string;
	filename?: string;
	key?: string;
}

export async function upload(
	sandbox: Sandbox,
	bytes: Buffer,
	{ field = 'file', filename = 'picture.png', key = sandbox.key }: UploadParts = {},
): Promise<Answer> {
	const form = new FormData();
	form.append(field, new Blob([new Uint8Array(bytes)]), filename);
	return await ask(`${sandbox.url}/v1/uploads/images`, {
		method: 'POST',
		headers: { authorization: `Bearer ${key}` },
		body: form,
	});
}

export async function uploaded(
	sandbox: Sandbox,
	...image: Parameters<typeof plainImage>
): Promise<string> {
	const answer = await upload(sandbox, await plainImage(...image));
	if (answer.status !== 200) throw new Error(answer.text);
	return text(answer.body.url);
}
