import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { nodeOf } from '../../support/node';

interface RunOfNode {
	/** Which run of the node in the execution. */
	runIndex?: number;
	/** JSON of the input items. */
	input?: IDataObject[];
	/** Whether an agent calls the node. */
	tool?: boolean;
	/** Before their expressions are evaluated. */
	parameters?: INodeParameters;
}

/** What purchase records read of n8n. `kept` is what n8n keeps of the node with the execution. */
export const recordsContext = (
	kept: IDataObject,
	{ runIndex = 0, input = [], tool = false, parameters = {} }: RunOfNode = {},
) => ({
	// n8n has one object for the node, and others for the flow.
	getContext: (type: string) => (type === 'node' ? kept : {}),
	getExecutionId: () => 'execution',
	getNode: () =>
		nodeOf('Under Test', { type: tool ? 'mediaGenMusicTool' : 'mediaGenMusic', parameters }),
	getInputData: () => input.map((json) => ({ json })),
	getWorkflowDataProxy: () => ({ $runIndex: runIndex }),
});
