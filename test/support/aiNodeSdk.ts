import type { ChatModel, FunctionTool } from '@n8n/ai-node-sdk';
import type { SupplyData } from 'n8n-workflow';

/** Stands for n8n's SDK where there is no n8n: gives a test the model as it is. Tests on a real n8n have the SDK itself. */
export const supplyModel = (_context: unknown, model: ChatModel): SupplyData => ({
	response: model,
});

export const getParametersJsonSchema = ({ inputSchema }: FunctionTool): unknown => inputSchema;
