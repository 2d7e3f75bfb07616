import { type BinaryDataMode, setBinaryDataMode } from './engine';

const MODES: Array<[place: string, mode: BinaryDataMode]> = [
	['in memory', 'default'],
	['on disk', 'filesystem'],
];

/** Runs tests once for each place where n8n can keep binary data without a database: n8n 1.123 has the first by default, 2.x the second. */
export function describeInEachBinaryDataMode(tests: (mode: BinaryDataMode) => void): void {
	describe.each(MODES)('Binary data %s', (_, mode) => {
		beforeAll(async () => await setBinaryDataMode(mode));
		afterAll(async () => await setBinaryDataMode('filesystem'));
		tests(mode);
	});
}
