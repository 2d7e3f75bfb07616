/** Settings of a node beside its parameters, as runs of it take them. */

/** Items that fail come out beside the others, with their errors. */
export const goOn = { settings: { onError: 'continueRegularOutput' } } as const;

/** Items that fail go to the error output. */
export const errorOutput = { settings: { onError: 'continueErrorOutput' } } as const;

/** A node that fails runs a second time. */
export const retryOnFail = {
	settings: { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 },
} as const;

/** As above, and items that fail the second time come out beside the others. */
export const retryAndGoOn = { settings: { ...retryOnFail.settings, ...goOn.settings } } as const;
