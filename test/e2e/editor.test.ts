import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Browser } from 'playwright-core';

import { type Host, HOST_VERSIONS } from '../../sandbox/host';
import { createSandbox, type Sandbox } from '../../sandbox/service';
import { defaultAction, type Field, readFields } from './editor/fields';
import { follow } from './editor/follow';
import { judge } from './editor/judge';
import { OPERATIONS } from './editor/operations';
import { keepPicture, textIn } from './editor/pictures';
import { SHOWCASE, showcase } from './editor/showcase';
import { planWalk } from './editor/walk';
import { launchBrowser } from './support/browser';
import { Editor } from './support/editor';
import { describeOnHosts } from './support/hosts';
import { readUntil } from './support/poll';
import { credentialFor, EXAMPLE_CREDENTIAL as CREDENTIAL, imageWorkflow } from './support/workflows';

const NODES = Object.keys(OPERATIONS);

const EXAMPLES = join(__dirname, '../../examples');

/** High enough for the longest panel. */
const TALL = { width: 1440, height: 1600 };

const example = (file: string): Parameters<Host['importWorkflow']>[0] =>
	JSON.parse(readFileSync(join(EXAMPLES, file), 'utf8')) as Parameters<Host['importWorkflow']>[0];

describeOnHosts("n8n's editor", (host, version) => {
	let sandbox: Sandbox;
	let browser: Browser;
	let editor: Editor;
	beforeAll(async () => {
		sandbox = await createSandbox({ allowPrivateCallbacks: true, durations: { image: 500 } });
		await host().putCredential(credentialFor(sandbox, CREDENTIAL));
		browser = await launchBrowser();
		editor = await Editor.open(browser, host(), TALL);
	}, 60_000);
	afterAll(async () => {
		await browser.close();
		await sandbox.close();
	});

	async function open(definition: Parameters<Host['importWorkflow']>[0], window = editor): Promise<void> {
		const { id } = await host().importWorkflow(definition);
		await window.openWorkflow(id);
	}

	describe('the nodes panel', () => {
		beforeAll(async () => await editor.newWorkflow());
		afterEach(async () => await editor.panel().close());

		test('finds all eight nodes by the name of the service', async () => {
			const names = NODES.map((name) => name.replace(/ Trigger$/, '')).sort();
			expect(await readUntil(async () => (await editor.searchNodes('MediaGen')).sort(), names)).toEqual(names);
		});

		test.each(NODES)('%s shows each field where it takes effect, and nowhere else', async (name) => {
			const fields = await fieldsOf(name);
			const walk = planWalk(fields);
			const looks = [walk.start, ...walk.steps.map(({ look }) => look)];
			expect(walk.missed).toEqual([]);
			expect(judge(name, looks)).toEqual([]);

			const panel = await editor.addNode(name, defaultAction(fields));
			expect(await follow(panel, walk)).toEqual([]);
		});
	});

	async function fieldsOf(name: string): Promise<Field[]> {
		const types = await host().nodeTypes('n8n-nodes-mediagen.');
		return readFields(types.find(({ displayName }) => displayName === name)?.properties);
	}

	describe('a panel', () => {
		beforeAll(async () => await open(showcase(CREDENTIAL)));
		afterEach(async () => await editor.panel().close());

		test.each(['MediaGen Image', 'MediaGen Trigger'])('%s offers how to download only to who downloads', async (name) => {
			const panel = await editor.openNode(name);
			const about = ['Max Download Size', 'Put Output File in Field'];
			expect(await panel.addables('Options')).toEqual(expect.arrayContaining(about));
			await panel.toggle('downloadResults');
			const offered = await readUntil(async () => (await panel.addables('Options')).filter((label) => about.includes(label)), []);
			expect(offered).toEqual([]);
		});

		test('MediaGen Image offers a compression for the formats that have one', async () => {
			const panel = await editor.openNode('MediaGen Image');
			const offersIt = async () => (await panel.addables('Additional Fields')).includes('Output Compression');
			await panel.add('Additional Fields', 'Output Format');
			for (const [format, has] of [['PNG', false], ['JPEG', true], ['WebP', true]] as const) {
				await panel.choose('outputFormat', format);
				expect([format, await readUntil(offersIt, has)]).toEqual([format, has]);
			}
		});

		test('MediaGen Video has no first or last frame for a video that is edited', async () => {
			const panel = await editor.openNode('MediaGen Video');
			expect(await panel.options('role')).toEqual(['First Frame', 'Last Frame', 'Reference']);
			await panel.choose('referType', 'Edit a Video');
			expect(await readUntil(() => panel.options('role'), ['Reference'])).toEqual(['Reference']);
		});

		test('MediaGen Trigger says which address to give to the service', async () => {
			const panel = await editor.openNode('MediaGen Trigger');
			expect((await panel.notices()).join('\n')).toContain('is the base address');
		});
	});

	describe('the form for a credential', () => {
		const enter = async (key: string) => {
			const form = await editor.newCredential('MediaGen API');
			await form.fill('baseUrl', sandbox.url);
			await form.fill('apiKey', key);
			return form;
		};

		test('says that a key works', async () => {
			const form = await enter(sandbox.key);
			expect(await form.save()).toBe('passed');
		});

		test('says why a key does not, without showing it', async () => {
			const form = await enter('no-such-key');
			expect(await form.save()).toBe('failed');
			const reason = await form.reason();
			expect(reason).toContain('The token does not exist.');
			expect(reason).not.toContain('no-such-key');
		});
	});

	test('"Execute workflow" runs the example, and its pictures can be looked at', async () => {
		await open(example('first-pipeline.json'));
		expect(await editor.execute()).toContain('executed successfully');
		const panel = await editor.openNode('Make Pictures');
		const picture = await panel.viewFile(1);
		const width = async () => picture.evaluate((image) => ('naturalWidth' in image ? Number(image.naturalWidth) > 0 : false));
		expect(await readUntil(width, true)).toBe(true);
	});

	test.each([
		['"Prompt" is required [item 1]', { prompt: '={{ $itemIndex === 1 ? "" : $json.prompt }}' }],
		[
			'"Pixel Size" must be pixels such as 1536x1024 [item 1]',
			{ additionalFields: { pixelSize: '={{ $itemIndex === 1 ? "large" : "1024x1024" }}' } },
		],
	])('a mistake is told as %s, and nothing is bought', async (message, parameters) => {
		sandbox.reset();
		await open(imageWorkflow(CREDENTIAL, parameters, 2));
		const panel = await editor.openNode('Pictures');
		await panel.execute();
		expect(await panel.error()).toEqual({ message, description: 'Nothing was sent to the service.' });
		expect(sandbox.ledger().accepted).toBe(0);
	});

	if (version !== HOST_VERSIONS.at(-1)) return;

	describe('the pictures of the documentation', () => {
		test('show the panel of each node', async () => {
			const sharp = await Editor.open(browser, host(), { width: 1300, height: 1800 }, 2);
			await open(showcase(CREDENTIAL), sharp);
			for (const { page, name } of SHOWCASE) {
				const panel = await sharp.openNode(name);
				await keepPicture(`panel-${page}`, await panel.screenshot(), await textIn(panel.settings));
				await panel.close();
			}
			await sharp.close();
		});

		test('show each example', async () => {
			await editor.page.setViewportSize({ width: 1320, height: 660 });
			for (const file of readdirSync(EXAMPLES)) {
				await open(example(file));
				await editor.zoomToFit();
				await keepPicture(`canvas-${basename(file, '.json')}`, await editor.screenshot(), await textIn(editor.parts));
			}
		});
	});
});
