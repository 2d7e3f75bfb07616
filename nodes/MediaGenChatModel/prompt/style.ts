import type { ChatEndpoint } from '../../shared/api/chat';
import type { Talk } from './talk';

/** A tool that is offered to the model. */
export interface OfferedTool {
	name: string;
	description: string;
	/** JSON schema of its parameters. */
	parameters: unknown;
}

/** What is asked: a conversation, with the tools that may be called. */
export interface Question {
	talk: Talk;
	tools: readonly OfferedTool[];
	/** The tool that must be called, in LangChain's words: `auto`, `any`, `none`, or a tool's name. */
	toolChoice: unknown;
	stop: readonly string[];
}

/** An object of a request that can bear a cache marker. */
export type Block = Record<string, unknown>;

/** The ends of what stays the same from request to request, from the most constant to the least. Absent where there is none. */
export interface Ends {
	lastTool?: Block;
	lastSystem?: Block;
	/** The last text of the user. */
	lastQuestion?: Block;
	/** The last block that may bear a marker. */
	last?: Block;
}

/** The fields of a request that hold a question, and where markers can stand in them. */
export interface Prompt {
	fields: Record<string, unknown>;
	ends: Ends;
}

/** One of the two styles of asking (spec §8). */
export interface ChatStyle extends ChatEndpoint {
	toPrompt(question: Question): Prompt;
	/** Fields of a request for a stream. */
	streaming: Record<string, unknown>;
}

/** The choice of a tool, in LangChain's words, by its kind. */
export function readToolChoice(
	choice: unknown,
): { kind: 'auto' | 'any' | 'none' } | { kind: 'tool'; name: string } | undefined {
	if (typeof choice !== 'string' || choice === '') return undefined;
	if (choice === 'auto' || choice === 'any' || choice === 'none') return { kind: choice };
	return choice === 'required' ? { kind: 'any' } : { kind: 'tool', name: choice };
}
