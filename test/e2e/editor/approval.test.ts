import type { Browser } from 'playwright-core';

import type { Execution } from '../../../sandbox/host';
import { createSandbox, type Sandbox } from '../../../sandbox/service';
import { chatCredentialFor } from '../support/agents';
import { launchBrowser } from '../support/browser';
import { ChatWindow } from '../support/chatWindow';
import { Editor } from '../support/editor';
import { describeOnHosts } from '../support/hosts';
import { readUntil } from '../support/poll';
import { credentialFor, EXAMPLE_CREDENTIAL, readExample } from '../support/workflows';
import { keepPicture } from './pictures';

const PROMPT = 'A lighthouse at dawn, in watercolour';
const QUESTION = 'Buy this picture?';
const APPROVE = 'Buy';
const REFUSE = 'Do Not Buy';

const EXAMPLE = readExample('agent-approval');

describeOnHosts('The example of an agent that asks before it buys', (host, version) => {
	if (version === '1.123') {
		test('cannot run: this n8n has no node that asks for an approval', async () => {
			expect(await host().nodeTypes('@n8n/n8n-nodes-langchain.chatHitlTool')).toEqual([]);
		});
		return;
	}

	let sandbox: Sandbox;
	let browser: Browser;
	let editor: Editor;
	beforeAll(async () => {
		sandbox = await createSandbox({ durations: { image: 500 } });
		await host().putCredential(credentialFor(sandbox, EXAMPLE_CREDENTIAL));
		await host().putCredential(chatCredentialFor(sandbox, 'OpenAI', sandbox.key));
		browser = await launchBrowser();
		editor = await Editor.open(browser, host());
	}, 60_000);
	beforeEach(() => sandbox.reset());
	afterAll(async () => {
		await browser.close();
		await sandbox.close();
	});

	/** Sends the agent a message in n8n's chat, and waits until n8n shows the question there. */
	async function askForPicture(): Promise<{ chat: ChatWindow; workflow: string }> {
		const call = {
			name: 'Make_a_Picture',
			arguments: { toolParameters: { prompt: PROMPT }, hitlParameters: {} },
		};
		sandbox.chat.script({ toolCalls: [call] }, { text: 'The tool said: {{tool}}' });
		const { id } = await host().importWorkflow(EXAMPLE);
		await editor.openWorkflow(id);
		const chat = new ChatWindow(editor.page);
		await chat.say('Please make a picture of a lighthouse');
		await chat.message(QUESTION).waitFor();
		return { chat, workflow: id };
	}

	/** The only execution of a workflow, once it has this status. */
	async function execution(workflowId: string, status: Execution['status']): Promise<Execution> {
		const read = async () => (await host().executions({ workflowId })).map((one) => one.status);
		expect(await readUntil(read, [status], 30_000)).toEqual([status]);
		const [only] = await host().executions({ workflowId });
		return await host().execution(only?.id ?? '');
	}

	test('the user sees what would be bought, and nothing is bought while n8n waits for the answer', async () => {
		const { chat, workflow } = await askForPicture();
		expect(await chat.message(QUESTION).innerText()).toContain(PROMPT);
		expect((await chat.buttons()).sort()).toEqual([APPROVE, REFUSE].sort());
		await keepPicture('canvas-agent-approval', await editor.screenshot(), JSON.stringify(EXAMPLE));
		await execution(workflow, 'waiting');
		expect(sandbox.requests.list({ path: '/v1/images' })).toEqual([]);
	});

	test('after the approval exactly one picture is bought, and the agent gets it', async () => {
		const { chat, workflow } = await askForPicture();
		await chat.press(APPROVE);
		await chat.message('The tool said').waitFor();
		await execution(workflow, 'success');
		await keepPicture('result-agent-approval', await editor.screenshot(), JSON.stringify(EXAMPLE));
		expect(sandbox.ledger().accepted).toBe(1);
		const [submission] = sandbox.requests.list({ method: 'POST', path: '/v1/images/generations' });
		expect(submission?.body).toMatchObject({ prompt: PROMPT });
		const [task] = sandbox.tasks.list();
		expect(await chat.message('The tool said').innerText()).toContain(task?.id ?? 'no task');
	});

	test('after a refusal nothing is bought, and the agent is told', async () => {
		const { chat, workflow } = await askForPicture();
		await chat.press(REFUSE);
		await chat.message('User rejected the tool call').waitFor();
		await execution(workflow, 'success');
		expect(sandbox.requests.list({ path: '/v1/images' })).toEqual([]);
	});

	test('an answer in words is no approval', async () => {
		const { chat, workflow } = await askForPicture();
		await chat.say('At night, please');
		await chat.message('provided feedback: "At night, please"').waitFor();
		await execution(workflow, 'success');
		expect(sandbox.requests.list({ path: '/v1/images' })).toEqual([]);
	});
});
