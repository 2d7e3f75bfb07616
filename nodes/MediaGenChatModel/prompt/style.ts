import type { ChatEndpoint } from '../../shared/api/chat';
import type { Talk } from './talk';

export interface OfferedTool {
	name: string;
	description: string;
	/** JSON schema of its parameters. */
	parameters: unknown;
}

/** Whether a tool must be called, and which, as messages style has it. */
export type ToolChoice = { type: 'auto' | 'any' | 'none' } | { type: 'tool'; name: string };

export interface Question {
	talk: Talk;
	tools: readonly OfferedTool[];
	/** Only with tools. */
	toolChoice: ToolChoice | undefined;
	stop: readonly string[];
}

/** An object of a request that can have a cache marker. */
export type Block = Record<string, unknown>;

/** The ends of what stays the same from request to request, from the most constant to the least. Absent where there is none. */
export interface Ends {
	lastTool?: Block;
	lastSystem?: Block;
	lastQuestion?: Block;
	/** The last block that may have a marker. */
	last?: Block;
}

/** One of the two request styles (spec §8). */
export interface ChatStyle extends ChatEndpoint {
	/** The fields of a request that hold a question, and where markers can stand in them. */
	toPrompt(question: Question): { fields: Record<string, unknown>; ends: Ends };
	streaming: Record<string, unknown>;
}

/** Services refuse some of their fields if they are empty lists: such a field is not sent. */
export const ifAny = <List extends readonly unknown[]>(list: List): List | undefined =>
	list.length > 0 ? list : undefined;

/** Reads a choice in LangChain's words: `auto`, `any`, `none`, or a tool's name. */
export function readToolChoice(choice: unknown): ToolChoice | undefined {
	if (typeof choice !== 'string' || choice === '') return undefined;
	if (choice === 'auto' || choice === 'any' || choice === 'none') return { type: choice };
	return choice === 'required' ? { type: 'any' } : { type: 'tool', name: choice };
}
