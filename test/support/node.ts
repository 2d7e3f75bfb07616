import type { INode } from 'n8n-workflow';

/** A node of this package as a workflow has it. */
export const nodeOf = (name: string, settings: Partial<INode> = {}): INode => ({
	id: '1',
	name,
	type: `mediaGen${name}`,
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
	...settings,
});
