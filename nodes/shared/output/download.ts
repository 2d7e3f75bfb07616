import type { IBinaryData, IHttpRequestOptions, INode } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { ServiceFault } from '../api/faults';
import { isPrivateHost, parseWebUrl } from '../api/address';
import { faultOfAnswer, faultOfThrown } from '../api/classify';
import { clock, pause } from '../util/clock';
import type { Connection } from '../api/connection';
import { backoffMs, isPassing, MAX_TRIES } from '../api/retry';
import { z } from '../util/vendor/zod';
import type { ResultFile } from './resultFiles';

type BinarySource = Parameters<DownloadContext['helpers']['prepareBinaryData']>[0];

/** What every n8n context that may fetch a file has in common. */
export interface DownloadContext {
	helpers: {
		httpRequest(options: IHttpRequestOptions): Promise<unknown>;
		prepareBinaryData(
			content: Buffer | NodeJS.ReadableStream,
			fileName?: string,
			mimeType?: string,
		): Promise<IBinaryData>;
	};
	getNode(): INode;
}

const MEGABYTE = 1_000_000;
const MAX_REDIRECTS = 5;
const TRY_TIMEOUT_MS = 60_000;

/** A readable stream, told by what is needed of it: the build must not import `stream`. */
interface ByteStream extends NodeJS.ReadableStream {
	map(each: (chunk: Uint8Array) => Uint8Array): NodeJS.ReadableStream;
	destroy(): void;
}

const byteStream = z.custom<ByteStream>(
	(value) => typeof value === 'object' && value !== null && 'pipe' in value && 'map' in value,
);

const streamResponse = z.object({
	statusCode: z.number(),
	headers: z.record(z.unknown()).catch({}),
	body: byteStream,
});

type StreamResponse = z.infer<typeof streamResponse>;

function checkAddress(address: string, connection: Connection): URL {
	const url = parseWebUrl(address);
	if (!url) throw refused('the link is not a full http or https URL');
	const own = url.host === parseWebUrl(connection.baseUrl)?.host;
	if (isPrivateHost(url) && !own && !connection.allowPrivateCallbacks) {
		throw refused(`the link leads to the private host ${url.hostname}`);
	}
	return url;
}

function refused(reason: string): ServiceFault {
	return new ServiceFault('refused', `The file was not downloaded: ${reason}`, 'no');
}

/** Opens a file for reading, following redirects. Throws a `ServiceFault`. */
export async function openFile(
	context: DownloadContext,
	address: string,
	connection: Connection,
	signal?: AbortSignal,
): Promise<StreamResponse> {
	let url = checkAddress(address, connection);
	for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
		const response = await request(context, url.href, signal);
		if (response.statusCode >= 200 && response.statusCode < 300) return response;
		response.body.destroy();
		const location = response.headers.location;
		if (response.statusCode < 300 || response.statusCode > 399 || typeof location !== 'string') {
			throw faultOfAnswer(
				{ statusCode: response.statusCode, headers: response.headers },
				clock.now(),
				connection.redact,
			);
		}
		// Each hop is checked by itself: a public link must not lead into the private network.
		url = checkAddress(new URL(location, url).href, connection);
	}
	throw refused(`the link redirects more than ${MAX_REDIRECTS} times`);
}

async function request(context: DownloadContext, url: string, signal?: AbortSignal): Promise<StreamResponse> {
	try {
		const response = await context.helpers.httpRequest({
			method: 'GET',
			url,
			encoding: 'stream',
			returnFullResponse: true,
			ignoreHttpStatusErrors: true,
			disableFollowRedirect: true,
			abortSignal: signal,
			timeout: clock.toHostMs(TRY_TIMEOUT_MS),
		});
		return streamResponse.parse(response);
	} catch (error) {
		throw faultOfThrown(error);
	}
}

/** Passes a stream on and breaks it off once more than `maxBytes` have gone by. */
function limited(body: ByteStream, maxBytes: number, tooLarge: () => ServiceFault): BinarySource {
	let bytes = 0;
	return body.map((chunk) => {
		bytes += chunk.length;
		if (bytes > maxBytes) throw tooLarge();
		return chunk;
	});
}

const EXTENSION = /\.([a-z0-9]{2,5})$/i;

const EXTENSION_OF_TYPE: Record<string, string> = {
	'image/png': 'png',
	'image/jpeg': 'jpg',
	'image/webp': 'webp',
	'image/gif': 'gif',
	'audio/mpeg': 'mp3',
	'audio/wav': 'wav',
	'audio/x-wav': 'wav',
	'video/mp4': 'mp4',
	'video/quicktime': 'mov',
};

function fileName(taskId: string, file: ResultFile, mimeType: string | undefined): string {
	const inPath = EXTENSION.exec(new URL(file.url).pathname)?.[1];
	const extension = (mimeType && EXTENSION_OF_TYPE[mimeType]) ?? inPath;
	const name = `${taskId}-${file.index}`.replace(/[^\w.-]+/g, '_');
	return extension ? `${name}.${extension}` : name;
}

export interface DownloadRules {
	/** Megabytes that one file may have. */
	maxDownloadSize: number;
	signal?: AbortSignal;
}

/**
 * Streams one result file into n8n's binary storage. Throws a `ServiceFault` when the link is refused, dead, too
 * large, or broke off on every try; a GET costs nothing, so it is tried again whatever went wrong on the way.
 */
export async function downloadResult(
	context: DownloadContext,
	connection: Connection,
	taskId: string,
	file: ResultFile,
	rules: DownloadRules,
): Promise<IBinaryData> {
	for (let tries = 1; ; tries++) {
		try {
			return await download(context, connection, taskId, file, rules);
		} catch (error) {
			const fault = error instanceof ServiceFault ? error : faultOfThrown(error);
			if (!isPassing(fault) || tries >= MAX_TRIES || rules.signal?.aborted) {
				throw giveUp(context.getNode(), fault, file);
			}
			await pause(backoffMs(fault, tries), rules.signal);
		}
	}
}

async function download(
	context: DownloadContext,
	connection: Connection,
	taskId: string,
	file: ResultFile,
	rules: DownloadRules,
): Promise<IBinaryData> {
	const maxBytes = rules.maxDownloadSize * MEGABYTE;
	const tooLarge = () =>
		refused(`it is larger than the ${rules.maxDownloadSize} MB that "Max Download Size" allows`);
	const response = await openFile(context, file.url, connection, rules.signal);
	const announced = Number(response.headers['content-length'] ?? 0);
	if (announced > maxBytes) {
		response.body.destroy();
		throw tooLarge();
	}
	const type = response.headers['content-type'];
	const mimeType = typeof type === 'string' ? type.split(';', 1)[0]?.trim() : undefined;
	return await context.helpers.prepareBinaryData(
		limited(response.body, maxBytes, tooLarge),
		fileName(taskId, file, mimeType),
		mimeType,
	);
}

function giveUp(node: INode, fault: ServiceFault, file: ResultFile): NodeOperationError {
	return new NodeOperationError(node, fault.message, {
		description: `The file is result ${file.index}, at ${file.url}. The task itself is complete: get it again with the resource Task, operation Get.`,
	});
}
