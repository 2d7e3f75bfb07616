import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import axios from 'axios';
import { programPath } from '../../../sandbox/host/machine/programs.cjs';
import { freePort } from '../../../sandbox/host/n8n/ports';
import { Daemon } from '../../../sandbox/host/queue/daemon';

export interface Gate {
	/** The same address, by way of the gate. */
	through: (url: string) => string;
	/** Answers 503 until `letThrough`, as while n8n stops. */
	hold(): Promise<void>;
	letThrough(): Promise<void>;
	close(): Promise<void>;
}

const PAGE = join(__dirname, '../../../docs/callbacks.md');

/** Where n8n is in the recipe of that page. */
const RECIPE_ADDRESS = 'http://127.0.0.1:5678';

/** The file of the recipe that holds back all calls. */
const RECIPE_FILE = '/run/n8n-stops';

/** What the page tells to write into nginx's configuration. */
async function recipe(n8n: string, stops: string): Promise<string> {
	const [, text] = /```nginx\n([\s\S]+?)```/.exec(await readFile(PAGE, 'utf8')) ?? [];
	if (!text?.includes(RECIPE_ADDRESS) || !text.includes(RECIPE_FILE))
		throw new Error(`${PAGE} has no recipe for nginx.`);
	return text.replaceAll(RECIPE_ADDRESS, n8n).replaceAll(RECIPE_FILE, stops);
}

const configuration = (folder: string, port: number, locations: string) => `
daemon off;
${process.getuid?.() === 0 ? 'user root;' : ''}
pid ${folder}/pid;
error_log ${folder}/error.log crit;
events {}
http {
	access_log off;
	client_body_temp_path ${folder}/body;
	proxy_temp_path ${folder}/proxy;
	fastcgi_temp_path ${folder}/fastcgi;
	uwsgi_temp_path ${folder}/uwsgi;
	scgi_temp_path ${folder}/scgi;
	server {
		listen 127.0.0.1:${port};
		location = /gate { return 200; }
${locations}
	}
}
`;

/** A real nginx before n8n, set up as `docs/callbacks.md` says, so that what an n8n that starts answers by itself is repeated. */
export async function openGate(n8n: string): Promise<Gate> {
	const folder = await mkdtemp(join(tmpdir(), 'mediagen-nginx-'));
	const port = await freePort();
	const address = `http://127.0.0.1:${port}`;
	const file = join(folder, 'nginx.conf');
	const stops = join(folder, 'n8n-stops');
	await writeFile(file, configuration(folder, port, await recipe(n8n, stops)));
	const nginx = await Daemon.start({
		name: 'nginx',
		command: programPath('nginx'),
		args: ['-c', file, '-e', join(folder, 'error.log')],
		stopSignal: 'SIGTERM',
		ready: async () =>
			(await axios.get(`${address}/gate`, { proxy: false }).catch(() => undefined))?.status === 200,
	});
	return {
		through: (url) => url.replace(n8n, address),
		hold: async () => await writeFile(stops, ''),
		letThrough: async () => await rm(stops),
		async close() {
			await nginx.stop();
			await rm(folder, { recursive: true, force: true });
		},
	};
}
