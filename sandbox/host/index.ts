export { attachHost, describeHost, type HostDescription } from './attach';
export { type Companion, Host, type RunOptions } from './host';
export { cacheFolder } from './install/cache';
export { ensureN8n, type InstalledN8n } from './install/ensureN8n';
export type { HostDatabase } from './n8n/database';
export { freePort, assertPortFree, PortTakenError } from './n8n/ports';
export { layDown } from './package/layDown';
export { givenPackage, packPackage, packWhereChanged } from './package/pack';
export { type Note, type Progress, silentProgress, terminalProgress } from './progress';
export { type QueueHostOptions, startQueueHost } from './queue';
export type { BinaryFile } from './rest/binaries';
export { RestClient, RestError } from './rest/client';
export type { Credential, CredentialTestResult, NewCredential } from './rest/credentials';
export {
	Execution,
	type ExecutionItem,
	type ExecutionStatus,
	type ExecutionSummary,
	type ItemFile,
	type NodeRun,
} from './rest/executions';
export type { NodeType } from './rest/nodeTypes';
export { DEFAULT_OWNER, type Owner } from './rest/owner';
export type { Workflow, WorkflowDefinition } from './rest/workflows';
export { type HostOptions, startHost } from './startHost';
export { HOST_VERSIONS, type HostVersion, parseHostVersions } from './versions';
