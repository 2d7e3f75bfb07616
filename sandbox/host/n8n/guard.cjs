// Loaded into n8n before anything else: when the program that started it is gone, however that ended, n8n ends too.
// Without this, a test run or an `npm start` that is killed outright would leave n8n behind.
if (process.channel) {
	process.once('disconnect', () => {
		process.kill(process.pid, 'SIGTERM');
		setTimeout(() => process.kill(-process.pid, 'SIGKILL'), 10_000).unref();
	});
	process.channel.unref();
}
