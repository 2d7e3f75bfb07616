import type {
	ICredentialDataDecryptedObject,
	ICredentialsExpressionResolveValues,
	ICredentialType,
	IExecuteData,
	IHttpRequestHelper,
	IHttpRequestOptions,
	INode,
	INodeCredentialsDetails,
	IWorkflowExecuteAdditionalData,
	Workflow,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import { ICredentials, ICredentialsHelper } from 'n8n-workflow';

class NoStoredCredentials extends ICredentials {
	override getData(): ICredentialDataDecryptedObject {
		throw new Error('Credentials are given to the engine decrypted');
	}

	override getDataToSave(): never {
		throw new Error('Credentials are not saved here');
	}

	override setData(): void {}

	async updateData(): Promise<void> {}
}

/** Hands one credential to every node and authenticates requests as n8n does: by the type's own function. */
export class OneCredential extends ICredentialsHelper {
	constructor(
		private readonly type: ICredentialType,
		private readonly data: ICredentialDataDecryptedObject,
	) {
		super();
	}

	override getParentTypes(): string[] {
		return [];
	}

	override async authenticate(
		credentials: ICredentialDataDecryptedObject,
		_typeName: string,
		requestOptions: IHttpRequestOptions,
		_workflow: Workflow,
		_node: INode,
	): Promise<IHttpRequestOptions> {
		if (typeof this.type.authenticate !== 'function')
			throw new Error('The type has no authenticate()');
		return await this.type.authenticate(credentials, requestOptions);
	}

	override async preAuthentication(
		_helpers: IHttpRequestHelper,
	): Promise<ICredentialDataDecryptedObject | undefined> {
		return await Promise.resolve(undefined);
	}

	override async getCredentials(
		nodeCredentials: INodeCredentialsDetails,
		type: string,
	): Promise<ICredentials> {
		return await Promise.resolve(new NoStoredCredentials(nodeCredentials, type));
	}

	override async getDecrypted(
		_additionalData: IWorkflowExecuteAdditionalData,
		_nodeCredentials: INodeCredentialsDetails,
		_type: string,
		_mode: WorkflowExecuteMode,
		_executeData?: IExecuteData,
		_raw?: boolean,
		_expressionResolveValues?: ICredentialsExpressionResolveValues,
	): Promise<ICredentialDataDecryptedObject> {
		return await Promise.resolve({ ...this.data });
	}

	override async updateCredentials(): Promise<void> {}

	override async updateCredentialsOauthTokenData(): Promise<void> {}

	override getCredentialsProperties() {
		return this.type.properties;
	}
}
