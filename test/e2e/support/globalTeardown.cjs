/** Lets the keeper end what it has started, and waits for it. */
module.exports = async () => {
	const keeper = globalThis.mediagenHostKeeper;
	if (!keeper || keeper.exitCode !== null) return;
	const ended = new Promise((resolve) => keeper.once('exit', resolve));
	keeper.ref();
	keeper.disconnect();
	await ended;
};
