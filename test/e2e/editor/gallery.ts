import type { Execution, Host } from '../../../sandbox/host';
import type { Sandbox } from '../../../sandbox/service';
import { dropTable, showTable } from '../support/dataTables';
import type { Editor } from '../support/editor';
import type { OutputView } from '../support/nodePanel';
import { readUntil } from '../support/poll';
import { readExample } from '../support/workflows';
import { contactSheet, type Picture } from './contactSheet';
import { keepPicture, stopVideo } from './pictures';

/** How an example is shown: its canvas once it has run, and what came out. */
interface Shown {
	/** The trigger to start from, where there are several. */
	from?: string;
	/** The node whose success ends the run. */
	last: string;
	/** What came out: the files of these nodes, a view of the last node's output, or a picture of the example's own. */
	result:
		| { files: string[] }
		| { view: OutputView; file?: number }
		| ((editor: Editor, host: Host) => Promise<Buffer>);
	/** What is done before the workflow is started. */
	before?: (host: Host, workflowId: string, sandbox: Sandbox) => Promise<void> | void;
	/** What is undone at the end. */
	after?: (host: Host, workflowId: string) => Promise<void>;
}

const SHOWN: Record<string, Shown> = {
	'budget-per-workflow': { last: 'Not Bought', result: { view: 'table' } },
	'compare-models': {
		last: 'Costs',
		result: async (editor, host) => await showTable(editor, host, 'Model Comparison', 'lighthouse'),
		before: async (host) => await dropTable(host, 'Model Comparison'),
	},
	'daily-spending-report': { last: 'Message', result: { view: 'json' } },
	'error-branch': { last: 'What Went Wrong', result: { view: 'table' } },
	'first-pipeline': { last: 'Balance After', result: { files: ['As A File', 'Make Pictures'] } },
	'grid-reroll': { last: 'Variations of It', result: { files: ['Variations of It'] } },
	jingle: { last: 'Fade In', result: { view: 'binary' } },
	'low-balance-alert': {
		last: 'Alert',
		result: { view: 'json' },
		before(_host, _workflowId, sandbox) {
			sandbox.setBalance(3_000);
		},
	},
	'pdf-questions': { last: 'Answers', result: { view: 'table' } },
	'photo-edit': {
		last: 'New Sky',
		result: { files: ['Photo as File', 'Mask as File', 'New Sky'] },
	},
	'picture-agent': { last: 'Agent', result: { view: 'json' } },
	'picture-to-video': { last: 'Longer Clip', result: { view: 'binary', file: 0 } },
	'sheet-to-images': { last: 'Images', result: { files: ['Images'] } },
	'song-to-stems': { last: 'Stems', result: { view: 'binary' } },
	'style-guide-agent': {
		last: 'Agent',
		result: async (editor) => await logOf(editor, 'MediaGen Chat Model'),
	},
	'video-queue': {
		from: 'Rows',
		last: 'Ten at a Time',
		result: async (editor, host) => await showTable(editor, host, 'Video Queue', 'completed'),
		async before(host, workflowId) {
			await dropTable(host, 'Video Queue');
			await host.activate(workflowId);
		},
		// Another copy of it listens at the same address.
		after: async (host, workflowId) => await host.deactivate(workflowId),
	},
};

/** What the log of an agent's model says of its last answer: the text, and below it what it used. */
async function logOf(editor: Editor, model: string): Promise<Buffer> {
	await editor.page.setViewportSize({ width: 1320, height: 1_000 });
	const panel = await editor.openNode(model);
	await panel.show('json');
	const picture = await panel.screenshotOfOutput();
	await panel.close();
	return picture;
}

/** Keeps a picture of an example as it is imported. */
export async function showCanvas(name: string, editor: Editor, host: Host): Promise<void> {
	const definition = readExample(name);
	const { id } = await host.importWorkflow(definition);
	await editor.openWorkflow(id);
	await editor.zoomToFit();
	await keepPicture(`canvas-${name}`, await editor.screenshot(), JSON.stringify(definition));
}

async function filesOf(host: Host, execution: Execution, nodes: string[]): Promise<Picture[]> {
	const files = nodes.flatMap((node) => execution.files(node));
	return await Promise.all(
		files.map(async (file) => ({
			name: file.fileName ?? '',
			type: file.mimeType,
			data: (await host.binary(file)).data,
		})),
	);
}

/** Runs an example in the editor and keeps the two pictures of it that docs/gallery.md shows. */
export async function showExample(
	name: string,
	editor: Editor,
	host: Host,
	sandbox: Sandbox,
): Promise<void> {
	const shown = SHOWN[name];
	if (!shown) throw new Error(`The gallery does not know the example "${name}".`);
	const definition = readExample(name);
	const { id } = await host.importWorkflow(definition);
	await shown.before?.(host, id, sandbox);
	try {
		await editor.openWorkflow(id);
		if (shown.from === undefined) await editor.execute();
		else await editor.executeFrom(shown.from);
		await editor.untilSucceeded(shown.last, 300_000);
		const running = async () =>
			(await host.executions({ workflowId: id, status: ['new', 'running', 'waiting'] })).length;
		expect(await readUntil(running, 0, 300_000)).toBe(0);
		await editor.zoomToFit();
		// Times and task ids are others in each run: another picture is one of another workflow, or one that looks different.
		const says = JSON.stringify(definition);
		await keepPicture(`canvas-${name}`, await editor.screenshot(), says);
		await keepPicture(`result-${name}`, await resultOf(shown, id, editor, host), says);
	} finally {
		await shown.after?.(host, id);
	}
}

async function resultOf(
	{ last, result }: Shown,
	workflowId: string,
	editor: Editor,
	host: Host,
): Promise<Buffer> {
	if (typeof result === 'function') return await result(editor, host);
	if ('files' in result) {
		const [newest] = await host.executions({ workflowId });
		const execution = await host.execution(newest?.id ?? '');
		return await contactSheet(
			await editor.blankPage(),
			await filesOf(host, execution, result.files),
		);
	}
	const panel = await editor.openNode(last);
	if (result.file === undefined) await panel.show(result.view);
	else await stopVideo(await panel.viewFile(result.file));
	const picture = await panel.screenshotOfOutput();
	await panel.close();
	return picture;
}
