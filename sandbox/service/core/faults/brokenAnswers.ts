import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { errorEnvelope } from '../errors';
import type { RequestEffect } from './rule';

type StatusEffect = Extract<RequestEffect, { type: 'status' }>;

/** Sets code and headers of an injected status and returns its body. */
export function statusAnswer(reply: FastifyReply, effect: StatusEffect): string {
	const { status, retryAfter } = effect;
	reply.code(status).type('application/json; charset=utf-8');
	if (typeof retryAfter === 'number') reply.header('retry-after', String(retryAfter));
	if (typeof retryAfter === 'object') {
		reply.header('retry-after', new Date(Date.now() + retryAfter.dateIn * 1000).toUTCString());
	}
	const message = effect.message ?? `The sandbox was asked to answer ${status}.`;
	return JSON.stringify(errorEnvelope(status, message, effect.code));
}

/** JSON that ends in the middle, in a complete HTTP response. */
export function truncate(payload: unknown): string {
	const text =
		typeof payload === 'string' ? payload : '{"code":200,"data":[{"status":"submitted"}]}';
	return text.slice(0, Math.ceil(text.length / 2));
}

/** Declares the length of the whole body, sends half of it and ends the connection. An event stream has no length. */
export function cutInHalf(reply: FastifyReply, payload: unknown): Readable {
	if (payload instanceof Readable && !reply.hasHeader('content-length'))
		return Readable.from(firstPieces(payload), { objectMode: false });
	const length = Number(reply.getHeader('content-length') ?? Buffer.byteLength(asText(payload)));
	reply.header('content-length', length);
	return Readable.from(firstBytes(payload, Math.floor(length / 2)), { objectMode: false });
}

async function* firstPieces(payload: Readable): AsyncGenerator<string | Uint8Array> {
	const pieces: Array<string | Uint8Array> = [];
	for await (const piece of payload) pieces.push(piece as string | Uint8Array);
	for (const piece of pieces.slice(0, Math.floor(pieces.length / 2))) yield piece;
	await cut();
}

/** The written bytes have to be sent before the connection is destroyed. */
async function cut(): Promise<never> {
	await new Promise((resolve) => setTimeout(resolve, 20));
	throw new Error('The sandbox was asked to cut this answer.');
}

async function* firstBytes(payload: unknown, wanted: number): AsyncGenerator<Buffer> {
	let left = wanted;
	for await (const piece of payload instanceof Readable ? payload : [asText(payload)]) {
		const chunk = Buffer.from(piece as string | Uint8Array).subarray(0, left);
		left -= chunk.length;
		yield chunk;
		if (left === 0) break;
	}
	await cut();
}

function asText(payload: unknown): string | Uint8Array {
	if (typeof payload === 'string' || payload instanceof Uint8Array) return payload;
	return '';
}
