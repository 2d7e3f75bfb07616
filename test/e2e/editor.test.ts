import { HOST_VERSIONS } from '../../sandbox/host';
import { buy } from './callbacks/tasks';
import { activeTrigger } from './callbacks/triggerWorkflow';
import { showCanvas, showExample } from './editor/gallery';
import { keepPicture, stopVideo, textIn, withoutNumbers } from './editor/pictures';
import { firstWorkflow, SHOWCASE, showcase } from './editor/showcase';
import { chatCredentialFor } from './support/agents';
import { useBrowser } from './support/browser';
import { Editor } from './support/editor';
import { onlyExecution } from './support/executions';
import { describeLongOnHosts } from './support/hosts';
import { chain, workflow } from './support/nodes';
import { readUntil } from './support/poll';
import { useSandbox } from './support/sandbox';
import {
	EXAMPLE_CREDENTIAL as CREDENTIAL,
	EXAMPLES,
	imageWorkflow,
	readExample,
	WITH_A_FOLDER,
	WITH_AN_ACCOUNT,
} from './support/workflows';

/** High enough for the longest panel. */
const TALL = { width: 1440, height: 1600 };

/** `Image` for example, as it is when a person adds it. */
const justAdded = (name: string) => ({
	name,
	type: `n8n-nodes-mediagen.mediaGen${name}`,
	parameters: {},
});

describeLongOnHosts("n8n's editor", '2.41', (host, version) => {
	const sandbox = useSandbox(host, CREDENTIAL, {
		durations: { image: 500, music: 3_000, grid: 500, video: 3_000 },
	});
	const browser = useBrowser();
	let editor: Editor;
	beforeAll(async () => {
		await host().putCredential(chatCredentialFor(sandbox(), 'OpenAi account', sandbox().key));
		editor = await Editor.open(browser(), host(), TALL);
	});

	/** Opens a workflow in a window. Returns its id. */
	async function open(definition: unknown, window = editor): Promise<string> {
		const { id } = await host().importWorkflow(definition);
		await window.openWorkflow(id);
		return id;
	}

	async function enterCredential(key: string, window = editor) {
		const form = await window.newCredential('MediaGen API');
		await form.fill('baseUrl', sandbox().url);
		await form.fill('apiKey', key);
		return form;
	}

	describe('the nodes panel', () => {
		beforeAll(async () => await editor.newWorkflow());
		afterEach(async () => await editor.panel().close());

		test('finds all nine nodes by the name of the service', async () => {
			// The model of an agent has no row on the canvas of the pictures: it cannot run alone.
			const names = [...SHOWCASE.map(({ name }) => name), 'MediaGen Chat Model'].sort();
			expect(
				await readUntil(async () => (await editor.searchNodes('MediaGen')).sort(), names),
			).toEqual(names);
		});

		test.each(['edit image', 'inpaint'])('finds MediaGen Image for "%s"', async (words) => {
			expect(await editor.searchNodes(words, 'MediaGen Image')).toContain('MediaGen Image');
		});

		test('puts a node on the canvas and opens its panel', async () => {
			const panel = await editor.addNode('MediaGen Image', 'Generate an image');
			expect(
				await readUntil(async () => (await panel.labels()).slice(0, 2), ['Resource', 'Operation']),
			).toEqual(['Resource', 'Operation']);
		});
	});

	describe('a panel', () => {
		beforeAll(async () => await open(showcase(CREDENTIAL)));
		afterEach(async () => await editor.panel().close());

		// Which field is shown when is the node's own description, which the engine's tests read.
		test.each(SHOWCASE)(
			'$name opens with its main fields and without an error',
			async ({ name, fields }) => {
				const before = editor.errors.length;
				const panel = await editor.openNode(name);
				const shown = async () => (await panel.labels()).filter((label) => fields.includes(label));
				expect(await readUntil(shown, fields)).toEqual(fields);
				expect(editor.errors.slice(before)).toEqual([]);
			},
		);

		test.each([
			['MediaGen Music', 'Cover a song in another style'],
			['MediaGen Grid', 'Vary a picture of a grid'],
		])('under %s the canvas says: %s', async (name, subtitle) => {
			expect((await editor.node(name).innerText()).split('\n')).toContain(subtitle);
		});

		test('MediaGen Trigger says which address to give to the service', async () => {
			const panel = await editor.openNode('MediaGen Trigger');
			const says = async () => (await panel.notices()).join('\n').includes('is the base address');
			expect(await readUntil(says, true)).toBe(true);
		});
	});

	describe('a window of 900 pixels', () => {
		let window: Editor;
		beforeAll(async () => {
			window = await Editor.open(browser(), host(), { width: 1440, height: 900 });
			const nodes = ['Image', 'Music', 'Grid', 'Video'].map(justAdded);
			await open(workflow('Just added', nodes, {}), window);
		});
		afterEach(async () => await window.panel().close());
		afterAll(async () => await window.close());

		test.each(['Image', 'Music', 'Grid', 'Video'])(
			'shows what %s needs on the first day, up to how it waits',
			async (name) => {
				const panel = await window.openNode(name);
				await panel.labels();
				expect(await panel.seesValueOf('waitMode')).toBe(true);
			},
		);
	});

	test('the node behind one that has not run yet shows which fields it will get', async () => {
		await open(chain('Not run yet', ['Image', 'Video'].map(justAdded)));
		const panel = await editor.openNode('Video');
		const fields = ['taskId', 'status', 'results', 'url', 'cost'];
		expect(
			await readUntil(
				async () => (await panel.inputFields()).filter((field) => fields.includes(field)),
				fields,
			),
		).toEqual(fields);
		await panel.close();
	});

	test('what the user leaves alone in a panel is not set', async () => {
		const names = ['Image', 'Video'];
		const id = await open(workflow('Untouched', names.map(justAdded), {}));
		for (const name of names) {
			const panel = await editor.openNode(name);
			await panel.fill('prompt', 'A harbour');
			await panel.close();
		}
		await editor.page.keyboard.press('Control+s');
		const saved = async () =>
			(await host().workflow(id)).nodes.map(({ parameters: { prompt, n, duration } }) => ({
				prompt,
				n,
				duration,
			}));
		const untouched = { prompt: 'A harbour', n: undefined, duration: undefined };
		expect(await readUntil(saved, [untouched, untouched])).toEqual([untouched, untouched]);
	});

	describe('the form for a credential', () => {
		test('says that a key works', async () => {
			const form = await enterCredential(sandbox().key);
			expect(await form.save()).toBe('passed');
		});

		test('says why a key does not, without showing it', async () => {
			const form = await enterCredential('no-such-key');
			expect(await form.save()).toBe('failed');
			const reason = await form.reason();
			expect(reason).toContain('The token does not exist.');
			expect(reason).not.toContain('no-such-key');
		});
	});

	test('"Execute workflow" runs the example, and its pictures can be looked at', async () => {
		await open(readExample('first-pipeline'));
		expect(await editor.execute()).toContain('executed successfully');
		const panel = await editor.openNode('Make Pictures');
		const picture = await panel.viewFile(1);
		const width = async () =>
			picture.evaluate((image) =>
				'naturalWidth' in image ? Number(image.naturalWidth) > 0 : false,
			);
		expect(await readUntil(width, true)).toBe(true);
	});

	test.each([
		[
			'"Prompt" is required: its expression is empty [row 2 (item 1)]',
			{ prompt: '={{ $itemIndex === 1 ? "" : $json.prompt }}' },
		],
		[
			'"Pixel Size" must be pixels such as 1536x1024 [row 2 (item 1)]',
			{ additionalFields: { pixelSize: '={{ $itemIndex === 1 ? "large" : "1024x1024" }}' } },
		],
	])('a mistake is shown as %s, and nothing is bought', async (message, parameters) => {
		await open(imageWorkflow(CREDENTIAL, parameters, 2));
		const panel = await editor.openNode('Pictures');
		await panel.execute();
		expect(await panel.error()).toEqual({
			message,
			description: 'Nothing was sent to the service.',
		});
		expect(sandbox().ledger().accepted).toBe(0);
	});

	if (version !== HOST_VERSIONS.at(-1)) return;

	test.each(EXAMPLES)('the gallery shows %s', async (name) => {
		await editor.page.setViewportSize({ width: 1320, height: 660 });
		await showExample(name, editor, host(), sandbox());
	});

	test.each([...WITH_A_FOLDER, ...WITH_AN_ACCOUNT])(
		'the gallery shows %s as it is imported',
		async (name) => {
			await editor.page.setViewportSize({ width: 1320, height: 660 });
			await showCanvas(name, editor, host());
		},
	);

	describe('the pictures of the documentation', () => {
		test('show the panel of each node', async () => {
			const sharp = await Editor.open(browser(), host(), { width: 1300, height: 1800 }, 2);
			await open(showcase(CREDENTIAL), sharp);
			for (const { page, name } of SHOWCASE) {
				const panel = await sharp.openNode(name);
				await keepPicture(`panel-${page}`, await panel.screenshot(), await textIn(panel.settings));
				await panel.close();
			}
			await sharp.close();
		});

		test('show the output of each node but the trigger', async () => {
			const sharp = await Editor.open(browser(), host(), { width: 1500, height: 640 }, 2);
			await open(showcase(CREDENTIAL), sharp);
			for (const { page, name, result } of SHOWCASE) {
				// A trigger would wait for a callback.
				if (result === undefined) continue;
				const panel = await sharp.openNode(name);
				await panel.execute();
				if (result === 'file') await stopVideo(await panel.viewFile(0));
				else await panel.show(result);
				await keepPicture(
					`result-${page}`,
					await panel.screenshotOfOutput(),
					withoutNumbers(await textIn(panel.output)),
				);
				await panel.close();
			}
			await sharp.close();
		});

		test('show the output of the trigger, after a callback', async () => {
			const sharp = await Editor.open(browser(), host(), { width: 1500, height: 640 }, 2);
			const trigger = await activeTrigger(host(), CREDENTIAL, { downloadFiles: true });
			await buy(sandbox(), {
				prompt: 'A harbor at dawn',
				webhook: `${trigger.base}?reference=row-7`,
			});
			const { id } = await onlyExecution(host(), trigger.id, 'success');
			await host().deactivate(trigger.id);
			await sharp.openWorkflow(trigger.id, id);
			const panel = await sharp.openNode('Trigger');
			await panel.show('json');
			await keepPicture(
				'result-trigger',
				await panel.screenshotOfOutput(),
				withoutNumbers(await textIn(panel.output)),
			);
			await sharp.close();
		});

		test('show the first workflow, step by step', async () => {
			const window = await Editor.open(browser(), host(), { width: 1320, height: 860 });
			const form = await enterCredential(sandbox().key, window);
			expect(await form.save()).toBe('passed');
			await keepPicture(
				'first-credential',
				await form.screenshot(),
				withoutNumbers(await form.text()),
			);
			await window.newWorkflow();
			await window.searchNodes('MediaGen');
			await keepPicture(
				'first-nodes',
				await window.nodesPanel.screenshot({ caret: 'hide' }),
				await textIn(window.nodesPanel),
			);
			await open(firstWorkflow(CREDENTIAL), window);
			const panel = await window.openNode('MediaGen Image');
			await panel.execute();
			await panel.viewFile(0);
			await keepPicture(
				'first-picture',
				await window.screenshot(),
				withoutNumbers(await textIn(panel.output)),
			);
			await window.close();
		});
	});
});
