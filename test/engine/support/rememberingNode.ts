import type { IDataObject, IExecuteFunctions, INodeType } from 'n8n-workflow';

/** A node that keeps its static data from one run to the next as n8n does: as JSON, read before and saved after. */
export function rememberingNode(create: () => INodeType) {
	const node = create();
	const inner = create();
	let saved = '{}';
	node.execute = async function (this: IExecuteFunctions) {
		const data = this.getWorkflowStaticData('node');
		Object.assign(data, JSON.parse(saved) as IDataObject);
		try {
			return (await inner.execute?.call(this)) ?? [];
		} finally {
			saved = JSON.stringify(data);
		}
	};
	return { node, stored: () => saved };
}
