import type { Execution, Host } from '../../../sandbox/host';

type Files = ReturnType<Execution['files']>;

/** Expects that n8n gives each of the files out, and that it is a PNG. */
export async function expectPictures(host: Host, files: Files): Promise<void> {
	for (const file of files) {
		const { data, contentType } = await host.binary(file);
		expect(contentType).toBe('image/png');
		expect(data.subarray(1, 4).toString()).toBe('PNG');
	}
}

/** Deletes an execution and expects that its files are gone with it: by themselves, or in memory as a part of its data. */
export async function expectDeletedWith(
	host: Host,
	executionId: string,
	files: Files,
): Promise<void> {
	await host.deleteExecutions([executionId]);
	// 1.123 answers with nothing instead of 404.
	await expect(host.execution(executionId)).rejects.toThrow();
	for (const file of files.filter(({ id }) => id !== undefined))
		await expect(host.binary(file)).rejects.toThrow('404');
}
