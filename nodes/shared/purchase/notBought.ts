import { ApiError } from '../api/errors';

/** One of the node's own limits was reached. Nothing was sent for this item. */
export class SpendingLimitError extends ApiError {
	constructor(
		readonly problem: string,
		readonly hint: string,
	) {
		super(`The request was not sent: ${problem}`);
	}
}

/** Why nothing was sent, for the middle of a sentence. */
export const reasonOf = (error: Error) =>
	error instanceof SpendingLimitError ? error.problem : error.message;

export class MaxTasksError extends SpendingLimitError {}

/** "Keep Balance" was reached, or the balance is not known: every further item would find the same. */
export class KeepBalanceError extends SpendingLimitError {}

/** An earlier attempt sent this purchase and never learned its result. */
export class PendingPurchaseError extends ApiError {
	/**
	 * @param response the attempt's answer, if it had one that could not be read
	 * @param why reason for not buying it again although the user wants that: a limit, or the service's refusal
	 */
	constructor(buys: 'task' | 'answer', response: string | undefined, why?: ApiError) {
		super(
			why === undefined
				? `The ${buys} may have been bought by an earlier attempt, so the request was not sent again`
				: `The ${buys} may have been bought by an earlier attempt, and was not bought again: ${reasonOf(why)}`,
			'maybe',
			{ ...why?.details, response },
		);
	}
}
