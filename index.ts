/**
 * What a programmer may reuse: the contract of the service as schemas and types, free of n8n. The nodes themselves
 * are found by n8n through `package.json`.
 */
export * from './nodes/shared/api/brandWords';
export * from './nodes/shared/api/chat';
export * from './nodes/shared/api/families';
export * from './nodes/shared/api/grid';
export * from './nodes/shared/api/image';
export * from './nodes/shared/api/music';
export * from './nodes/shared/api/records';
export * from './nodes/shared/api/video';
export { outputSchemaOf } from './nodes/shared/output/outputSchemas';
