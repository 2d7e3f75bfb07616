// Loaded into n8n before anything else: when the program that started it is gone, however that ended, n8n ends too.
// Without this, a test run or an `npm start` that is killed outright would leave n8n behind.
if (process.channel) {
	// n8n leads a process group, in which its task runners are.
	const endGroup = () => process.kill(-process.pid, 'SIGKILL');
	process.once('disconnect', () => {
		process.once('exit', endGroup);
		process.kill(process.pid, 'SIGTERM');
		setTimeout(endGroup, 10_000).unref();
	});
	process.channel.unref();
}
