import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { FFPROBE } from '../../support/ffprobe';

export interface Sound {
	seconds: number;
	/** Hz, counted by zero crossings. */
	tone: number;
	/** Highest sample of the first tenth of a second, as a share of the highest of all. */
	start: number;
	title: string;
}

/** What one hears in a WAV file of 16-bit samples. */
export function listen(bytes: Buffer): Sound {
	if (bytes.toString('latin1', 0, 4) !== 'RIFF' || bytes.readUInt16LE(34) !== 16)
		throw new Error('No WAV file of 16 bits');
	const sampleRate = bytes.readUInt32LE(24);
	const data = bytes.indexOf('data', 36);
	const length = bytes.readUInt32LE(data + 4);
	const samples = new Int16Array(
		new Uint8Array(bytes.subarray(data + 8, data + 8 + length)).buffer,
	);
	let crossings = 0;
	for (let index = 1; index < samples.length; index += 1) {
		if ((samples[index - 1] ?? 0) < 0 && (samples[index] ?? 0) >= 0) crossings += 1;
	}
	const loudest = (part: Int16Array) =>
		part.reduce((most, sample) => (sample > most ? sample : most), 0);
	const seconds = samples.length / sampleRate;
	const title = bytes.indexOf('INAM', data);
	return {
		seconds,
		tone: crossings / seconds,
		start: loudest(samples.subarray(0, sampleRate / 10)) / loudest(samples),
		title:
			title < 0
				? ''
				: bytes
						.toString('latin1', title + 8, title + 8 + bytes.readUInt32LE(title + 4))
						.replace(/\0+$/, ''),
	};
}

export function probe(bytes: Buffer): {
	codec: string;
	width?: number;
	height?: number;
	seconds: number;
} {
	const folder = mkdtempSync(path.join(tmpdir(), 'probe-'));
	const file = path.join(folder, 'media');
	writeFileSync(file, bytes);
	const wanted = 'stream=codec_name,width,height:format=duration';
	const args = ['-v', 'error', '-show_entries', wanted, '-of', 'json', file];
	const { stdout, stderr } = spawnSync(FFPROBE, args);
	rmSync(folder, { recursive: true });
	if (stderr.length > 0) throw new Error(stderr.toString());
	const { streams, format } = JSON.parse(stdout.toString()) as {
		streams: Array<{ codec_name: string; width?: number; height?: number }>;
		format: { duration: string };
	};
	const [stream] = streams;
	return {
		codec: stream?.codec_name ?? '',
		width: stream?.width,
		height: stream?.height,
		seconds: Number(format.duration),
	};
}
