import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { isShown } from '../engine/support/fieldTable';
import { ALL_NODES } from '../support/allNodes';

interface ExampleNode {
	name: string;
	type: string;
	position: [number, number];
	parameters: Record<string, unknown>;
	credentials?: Record<string, { id: string | null; name: string }>;
}

interface Example {
	nodes: ExampleNode[];
	connections: Record<string, Record<string, Array<Array<{ node: string }>>>>;
}

/** The node behind a type, also where it is an agent's tool. */
const ours = (type: string) =>
	Object.values(ALL_NODES).find(
		({ description: { name } }) => type.replace(/Tool$/, '') === `n8n-nodes-mediagen.${name}`,
	);

const COLLECTIONS = ['options', 'additionalFields'];

/** The fields that a node of an example sets, as paths. */
function pathsOf(parameters: Record<string, unknown>): string[] {
	return Object.entries(parameters).flatMap(([name, value]) =>
		COLLECTIONS.includes(name) && typeof value === 'object' && value !== null
			? Object.keys(value).map((option) => `${name}.${option}`)
			: [name],
	);
}

const isNote = ({ type }: ExampleNode) => type === 'n8n-nodes-base.stickyNote';

/** What a node covers on the canvas, with the name under it. */
const NODE = { width: 100, height: 130 };

function overlap(a: ExampleNode, b: ExampleNode): boolean {
	const [one, other] = [a, b].map((node) => {
		const { width, height }: typeof NODE = { ...NODE, ...(isNote(node) ? node.parameters : {}) };
		const [left, top] = node.position;
		return { left, top, right: left + width, bottom: top + height };
	});
	if (!one || !other) return false;
	return (
		one.left < other.right &&
		other.left < one.right &&
		one.top < other.bottom &&
		other.top < one.bottom
	);
}

const FOLDER = join(__dirname, '..', '..', 'examples');

describe.each(readdirSync(FOLDER))('examples/%s', (file) => {
	const { nodes, connections } = JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as Example;
	const names = nodes.map((node) => node.name);

	test('begins with a trigger, and every line leads to a node', () => {
		expect(nodes[0]?.type).toMatch(/trigger$/i);
		const ends = Object.values(connections).flatMap((kinds) =>
			Object.values(kinds)
				.flat(2)
				.map(({ node }) => node),
		);
		const starts = Object.keys(connections);
		for (const end of [...ends, ...starts]) expect(names).toContain(end);
		const apart = nodes.filter(
			(node) => !ends.includes(node.name) && !starts.includes(node.name) && !isNote(node),
		);
		expect(apart).toEqual([]);
	});

	test('sets only what the panel shows', () => {
		const own = nodes.flatMap(({ name, type, parameters }) => {
			const node = ours(type);
			return node ? [{ name, node, parameters }] : [];
		});
		expect(own.length).toBeGreaterThan(0);
		for (const { name, node, parameters } of own) {
			const hidden = pathsOf(parameters).filter((path) => !isShown(node, parameters, path));
			expect([name, hidden]).toEqual([name, []]);
		}
	});

	// With an id of `null`, n8n takes the credential by its name: that which it offers for a new one.
	test('names no id of another n8n, and the credential as n8n does', () => {
		const others = nodes.flatMap(({ credentials = {} }) =>
			Object.values(credentials).filter(
				({ id, name }) => id !== null || !['MediaGen account', 'OpenAi account'].includes(name),
			),
		);
		expect(others).toEqual([]);
		const tables = nodes.flatMap(({ parameters: { dataTableId } }) =>
			dataTableId === undefined ? [] : [dataTableId],
		);
		for (const table of tables) expect(table).toMatchObject({ mode: 'name' });
	});

	test('has a note, and nothing on the canvas covers another thing', () => {
		expect(nodes.filter(isNote)).toHaveLength(1);
		const covered = nodes.flatMap((a, at) =>
			nodes
				.slice(at + 1)
				.filter((b) => overlap(a, b))
				.map((b) => [a.name, b.name]),
		);
		expect(covered).toEqual([]);
	});
});
