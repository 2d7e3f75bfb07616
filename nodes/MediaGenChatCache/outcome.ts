import type { IDataObject, NodeApiError, NodeOperationError } from 'n8n-workflow';

import type { Cost } from './cost';
import type { Usage } from './usage';

/** What one item was answered. */
export interface Answer {
	text: string;
	stopReason: string | null;
	/** `null` where the answer has none. */
	usage: Usage | null;
	warnings: string[];
	cost: Cost | undefined;
	/** The response as it came. */
	raw: IDataObject;
}

/** What became of one input item. */
export interface Outcome {
	itemIndex: number;
	answer?: Answer;
	/** Why there is no answer. */
	error?: NodeApiError | NodeOperationError;
}
