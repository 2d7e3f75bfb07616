/** How an answer ended, of either style. */
export interface AnswerEnd {
	stopReason: string | null;
	/** Whether it came in events, none of which gave a reason for the end. */
	hasNoEnd?: boolean;
}

/** The stop reasons of an answer that was cut at "Max Tokens", in both styles. */
const CUT = ['max_tokens', 'length'];

/** The stop reasons of a refused answer, in both styles (cache rule 6). */
const REFUSED = ['refusal', 'content_filter'];

export const isCut = ({ stopReason }: AnswerEnd) => stopReason !== null && CUT.includes(stopReason);

export const isRefused = ({ stopReason }: AnswerEnd) =>
	stopReason !== null && REFUSED.includes(stopReason);

/** The stop reasons of a whole answer, as services of either style write them. */
const WHOLE =
	/^(?:end_turn|stop|stop_sequence|eos|complete|completed|tool_use|tool_calls|function_call)$/i;

/** Warnings about an answer that may not be whole. */
export function endWarnings(end: AnswerEnd): string[] {
	const { stopReason } = end;
	if (isCut(end)) return ['The answer was cut at "Max Tokens".'];
	if (end.hasNoEnd)
		return ['The service gave no reason for the end of the answer: it may have broken off.'];
	return stopReason === null || WHOLE.test(stopReason)
		? []
		: [`The answer ended with the stop reason "${stopReason}": it may not be whole.`];
}
