import { LoadOptionsContext } from 'n8n-core';
import type {
	ICredentialDataDecryptedObject,
	ILoadOptionsFunctions,
	INodeParameters,
	INodeType,
	IWorkflowExecuteAdditionalData,
} from 'n8n-workflow';
import { Workflow } from 'n8n-workflow';

import { nodeOf } from '../../support/node';
import { oneCredential } from './credentials';
import { nodeTypesOf } from './engine';

/**
 * The context in which n8n's editor asks a node for the list of a field.
 *
 * @param path of the field, such as `parameters.model`
 */
export function loadOptionsContext(
	node: INodeType,
	parameters: INodeParameters,
	credential: ICredentialDataDecryptedObject,
	path: string,
): ILoadOptionsFunctions {
	const nodeTypes = nodeTypesOf({ [node.description.name]: node });
	const credentials = { mediaGenApi: { id: '1', name: 'MediaGen' } };
	const own = nodeOf('Node', { type: node.description.name, parameters, credentials });
	const workflow = new Workflow({ nodes: [own], connections: {}, active: false, nodeTypes });
	const additionalData = {
		credentialsHelper: oneCredential(credential),
		currentNodeParameters: parameters,
	} as unknown as IWorkflowExecuteAdditionalData;
	return new LoadOptionsContext(workflow, own, additionalData, path);
}
