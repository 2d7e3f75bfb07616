import { setTimeout as delay } from 'node:timers/promises';
import axios, {
	type AxiosInstance,
	type AxiosRequestConfig,
	type AxiosResponse,
	isAxiosError,
} from 'axios';
import { z } from 'zod/v3';

const refusalSchema = z.object({ message: z.string() }).passthrough();

/** How long n8n may need until its database answers again. */
const NOT_READY_MS = 60_000;

/**
 * While its database does not answer within 5 s, n8n rejects every request without processing it. n8n 1.123 also has only one
 * connection to SQLite for all writers: of two simultaneous transactions, the second does not begin.
 */
const NOT_BEGUN = new Set([
	'503 Database is not ready!',
	'500 SQLITE_ERROR: cannot start a transaction within a transaction',
]);

/** Whether n8n has rejected a request without processing it, because its database was busy. */
const isNotBegun = ({ status, data }: AxiosResponse<unknown>) =>
	NOT_BEGUN.has(`${status} ${refusalSchema.safeParse(data).data?.message}`);

/** n8n's internal REST interface, as its editor uses it: one session, kept by its cookie. */
export class RestClient {
	/** For requests whose status matters, whatever it is: nothing is thrown. */
	readonly raw: AxiosInstance;

	/** The session's cookie as `name=value`: for a browser, or another client, that is to be logged in too. */
	session = '';

	constructor(readonly baseUrl: string) {
		this.raw = axios.create({ baseURL: baseUrl, validateStatus: () => true, proxy: false });
		this.raw.interceptors.request.use((config) => {
			if (this.session) config.headers.set('Cookie', this.session);
			return config;
		});
		this.raw.interceptors.response.use((response) => {
			const auth = (response.headers['set-cookie'] ?? []).find((cookie) =>
				cookie.startsWith('n8n-auth='),
			);
			if (auth) this.session = auth.split(';')[0] ?? '';
			return response;
		});
	}

	/**
	 * Sends a request and reads the answer by `schema`; n8n's envelope `{ data: … }` is removed first.
	 *
	 * @throws with n8n's own words, when it answers anything but 2xx
	 * @throws when the answer does not have the shape of `schema`
	 */
	async call<S extends z.ZodTypeAny>(schema: S, request: AxiosRequestConfig): Promise<z.output<S>> {
		const line = `${request.method ?? 'GET'} ${request.url ?? ''}`;
		const response = await this.send(request).catch((error: unknown) => {
			throw isAxiosError(error)
				? new Error(`${line} got no answer: ${error.message}`, { cause: error })
				: error;
		});
		if (response.status < 200 || response.status > 299) {
			const { data: refusal } = refusalSchema.safeParse(response.data);
			const words = refusal?.message ?? JSON.stringify(response.data);
			throw new Error(`${line} was answered ${response.status}: ${words}`);
		}
		const body: unknown =
			z.object({ data: z.unknown() }).safeParse(response.data).data?.data ?? response.data;
		const parsed = schema.safeParse(body);
		if (!parsed.success)
			throw new Error(`${line} was answered in an unknown shape: ${parsed.error.message}`);
		return parsed.data as z.output<S>;
	}
	/** Waits for a database that a busy machine keeps from answering. Reads again on a connection that n8n closed as idle when it was used. */
	private async send(request: AxiosRequestConfig): Promise<AxiosResponse<unknown>> {
		for (const end = Date.now() + NOT_READY_MS; ; await delay(1_000)) {
			const isRead = (request.method ?? 'GET') === 'GET';
			const response = await this.raw.request<unknown>(request).catch((error: unknown) => {
				if (!isRead || !isAxiosError(error) || error.code !== 'ECONNRESET' || Date.now() > end)
					throw error;
			});
			if (response && (!isNotBegun(response) || Date.now() > end)) return response;
		}
	}
}
