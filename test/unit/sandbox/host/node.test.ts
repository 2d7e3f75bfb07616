import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { ownHeaders } from '../../../../sandbox/host/install/node';

describe('The headers of the Node.js that runs', () => {
	let prefix = '';

	beforeEach(() => (prefix = mkdtempSync(join(tmpdir(), 'mediagen-headers-'))));
	afterEach(() => rmSync(prefix, { recursive: true }));

	const found = () => ownHeaders(join(prefix, 'bin', 'node'), '20.19.3');

	function put(version: [number, number, number], files = ['node.h', 'node_version.h']): void {
		const folder = join(prefix, 'include', 'node');
		mkdirSync(folder, { recursive: true });
		const text = ['MAJOR', 'MINOR', 'PATCH']
			.map((part, at) => `#define NODE_${part}_VERSION ${version[at]}\n`)
			.join('');
		for (const file of files) writeFileSync(join(folder, file), text);
	}

	test('are taken where they stand beside it', () => {
		put([20, 19, 3]);
		expect(found()).toBe(prefix);
	});

	test('are not taken from another version', () => {
		put([20, 19, 4]);
		expect(found()).toBeUndefined();
	});

	test.each([[[]], [['node.h']], [['node_version.h']]])('are not there with %j alone', (files) => {
		put([20, 19, 3], files);
		expect(found()).toBeUndefined();
	});
});
