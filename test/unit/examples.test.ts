import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { INodeType } from 'n8n-workflow';

import { MediaGenBalance } from '../../nodes/MediaGenBalance/MediaGenBalance.node';
import { MediaGenGrid } from '../../nodes/MediaGenGrid/MediaGenGrid.node';
import { MediaGenImage } from '../../nodes/MediaGenImage/MediaGenImage.node';
import { MediaGenMusic } from '../../nodes/MediaGenMusic/MediaGenMusic.node';
import { MediaGenVideo } from '../../nodes/MediaGenVideo/MediaGenVideo.node';
import { isShown } from '../engine/support/fieldTable';

interface Example {
	nodes: Array<{ name: string; type: string; parameters: Record<string, unknown> }>;
	connections: Record<string, { main: Array<Array<{ node: string }>> }>;
}

const OURS: Record<string, INodeType> = {
	'n8n-nodes-mediagen.mediaGenBalance': new MediaGenBalance(),
	'n8n-nodes-mediagen.mediaGenGrid': new MediaGenGrid(),
	'n8n-nodes-mediagen.mediaGenImage': new MediaGenImage(),
	'n8n-nodes-mediagen.mediaGenMusic': new MediaGenMusic(),
	'n8n-nodes-mediagen.mediaGenVideo': new MediaGenVideo(),
};

const COLLECTIONS = ['options', 'additionalFields'];

/** The fields that a node of an example sets, as paths. */
function pathsOf(parameters: Record<string, unknown>): string[] {
	return Object.entries(parameters).flatMap(([name, value]) =>
		COLLECTIONS.includes(name) && typeof value === 'object' && value !== null
			? Object.keys(value).map((option) => `${name}.${option}`)
			: [name],
	);
}

const BY_HAND = ['song-to-stems', 'sheet-to-images', 'picture-to-video', 'grid-reroll', 'budget-per-workflow'].map((name) => [name, 'manual']);

const BY_TIME = ['daily-spending-report', 'low-balance-alert'].map((name) => [name, 'schedule']);

describe.each([...BY_HAND, ...BY_TIME])('examples/%s.json', (name, start) => {
	const text = readFileSync(join(__dirname, '..', '..', 'examples', `${name}.json`), 'utf8');
	const { nodes, connections } = JSON.parse(text) as Example;
	const names = nodes.map((node) => node.name);

	test(`begins with a ${start} trigger, and every line leads to a node`, () => {
		expect(nodes[0]?.type).toBe(`n8n-nodes-base.${start}Trigger`);
		const ends = Object.values(connections).flatMap(({ main }) => main.flat().map(({ node }) => node));
		for (const end of [...ends, ...Object.keys(connections)]) expect(names).toContain(end);
		const apart = nodes.filter(({ name: one, type }, at) => at > 0 && !ends.includes(one) && !type.endsWith('stickyNote'));
		expect(apart).toEqual([]);
	});

	test('sets only what the panel shows', () => {
		const own = nodes.filter(({ type }) => OURS[type] !== undefined);
		expect(own.length).toBeGreaterThan(0);
		for (const { name: node, type, parameters } of own) {
			const hidden = pathsOf(parameters).filter((path) => !isShown(OURS[type] as INodeType, parameters, path));
			expect([node, hidden]).toEqual([node, []]);
		}
	});
});
