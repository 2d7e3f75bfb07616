import axios from 'axios';
import { z } from 'zod/v3';

const answerSchema = z.object({ result: z.record(z.unknown()) });

/** A program that speaks MCP over HTTP. */
export class McpClient {
	private session: string | undefined;

	private calls = 0;

	constructor(
		private readonly url: string,
		private readonly token: string,
	) {}

	/** The status of an attempt to begin. */
	async open(): Promise<number> {
		const clientInfo = { name: 'test', version: '1' };
		const params = { protocolVersion: '2025-03-26', capabilities: {}, clientInfo };
		const { status, headers } = await this.send({ id: 0, method: 'initialize', params });
		if (status !== 200) return status;
		this.session = String(headers['mcp-session-id']);
		await this.send({ method: 'notifications/initialized' });
		return status;
	}

	/** Calls a method. n8n's servers answer in one event. */
	async call(method: string, params: object = {}): Promise<Record<string, unknown>> {
		this.calls += 1;
		const { data } = await this.send({ id: this.calls, method, params });
		const [, json = ''] = /^data: (.*)$/m.exec(data) ?? [];
		return answerSchema.parse(JSON.parse(json)).result;
	}

	private async send(message: object) {
		const headers = {
			authorization: `Bearer ${this.token}`,
			accept: 'application/json, text/event-stream',
			...(this.session !== undefined && { 'mcp-session-id': this.session }),
		};
		return await axios.post<string>(
			this.url,
			{ jsonrpc: '2.0', ...message },
			{ headers, responseType: 'text', validateStatus: () => true, proxy: false },
		);
	}
}
