import { createHash } from 'node:crypto';
import { WaveFile } from 'wavefile';

/** Sample music: a plain tone. */
export interface TrackSpec {
	seconds: number;
	/** Determines the tone. */
	seed: string;
	/** Length of the fade-in in seconds. */
	fadeIn: number;
	/** Written into the file's title. */
	title: string;
}

/** Enough for a tone, and two minutes of it stay under 2 MB. */
const SAMPLE_RATE = 8_000;
const LOUDNESS = 9_000;
const LOWEST_TONE = 165;
/** Number of possible tones, a semitone apart. */
const STEPS = 36;

/** The pitch of a track, in Hz. */
export function toneOf(seed: string): number {
	const step = createHash('sha256').update(seed).digest().readUInt32BE(0) % STEPS;
	return LOWEST_TONE * 2 ** (step / 12);
}

/** A WAV file: mono, 16 bit, of the exact length. */
export function playTrack({ seconds, seed, fadeIn, title }: TrackSpec): Buffer {
	const { sin, PI } = Math;
	const step = (2 * PI * toneOf(seed)) / SAMPLE_RATE;
	const fadeSamples = fadeIn * SAMPLE_RATE;
	const samples = new Int16Array(Math.round(seconds * SAMPLE_RATE));
	for (let index = 0; index < samples.length; index += 1) {
		const loudness = index < fadeSamples ? (LOUDNESS * index) / fadeSamples : LOUDNESS;
		samples[index] = loudness * sin(step * index);
	}
	const wave = new WaveFile();
	wave.fromScratch(1, SAMPLE_RATE, '16', []);
	// The samples already have the format of the file; packing them one by one takes the library half a second.
	Object.assign(wave.data, {
		chunkSize: samples.byteLength,
		samples: new Uint8Array(samples.buffer),
	});
	wave.setTag('INAM', `SAMPLE: ${title}`);
	return Buffer.from(wave.toBuffer());
}
