import { chatCredentialFor } from '../support/agents';
import { useBrowser } from '../support/browser';
import { ChatWindow } from '../support/chatWindow';
import { Editor } from '../support/editor';
import { onlyExecution } from '../support/executions';
import { describeOnHosts } from '../support/hosts';
import { pictureSubmissions, useSandbox } from '../support/sandbox';
import { EXAMPLE_CREDENTIAL, readExample } from '../support/workflows';
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

	const sandbox = useSandbox(host, EXAMPLE_CREDENTIAL, { durations: { image: 500 } });
	const browser = useBrowser();
	let editor: Editor;
	beforeAll(async () => {
		await host().putCredential(chatCredentialFor(sandbox(), 'OpenAi account', sandbox().key));
		editor = await Editor.open(browser(), host());
	});

	/** Sends the agent a message in n8n's chat, and waits until n8n shows the question there. */
	async function askForPicture(): Promise<{ chat: ChatWindow; workflow: string }> {
		const call = {
			name: 'Make_a_Picture',
			arguments: { toolParameters: { prompt: PROMPT }, hitlParameters: {} },
		};
		sandbox().chat.script({ toolCalls: [call] }, { text: 'The tool said: {{tool}}' });
		const { id } = await host().importWorkflow(EXAMPLE);
		await editor.openWorkflow(id);
		const chat = new ChatWindow(editor.page);
		await chat.say('Please make a picture of a lighthouse');
		await chat.message(QUESTION).waitFor();
		return { chat, workflow: id };
	}

	test('the user sees what would be bought, and nothing is bought while n8n waits for the answer', async () => {
		const { chat, workflow } = await askForPicture();
		expect(await chat.message(QUESTION).innerText()).toContain(PROMPT);
		expect((await chat.buttons()).sort()).toEqual([APPROVE, REFUSE].sort());
		await keepPicture('canvas-agent-approval', await editor.screenshot(), JSON.stringify(EXAMPLE));
		await onlyExecution(host(), workflow, 'waiting');
		expect(sandbox().requests.list({ path: '/v1/images' })).toEqual([]);
	});

	test('after the approval exactly one picture is bought, and the agent gets it', async () => {
		const { chat, workflow } = await askForPicture();
		await chat.press(APPROVE);
		await chat.message('The tool said').waitFor();
		await onlyExecution(host(), workflow, 'success');
		await keepPicture('result-agent-approval', await editor.screenshot(), JSON.stringify(EXAMPLE));
		expect(sandbox().ledger().accepted).toBe(1);
		expect(pictureSubmissions(sandbox())).toMatchObject([{ body: { prompt: PROMPT } }]);
		const [task] = sandbox().tasks.list();
		expect(await chat.message('The tool said').innerText()).toContain(task?.id ?? 'no task');
	});

	test.each<[string, (chat: ChatWindow) => Promise<void>, string]>([
		['a refusal', async (chat) => await chat.press(REFUSE), 'User rejected the tool call'],
		[
			'an answer in words, which is no approval,',
			async (chat) => await chat.say('At night, please'),
			'provided feedback: "At night, please"',
		],
	])('after %s nothing is bought, and the agent is told', async (_, answer, told) => {
		const { chat, workflow } = await askForPicture();
		await answer(chat);
		await chat.message(told).waitFor();
		await onlyExecution(host(), workflow, 'success');
		expect(sandbox().requests.list({ path: '/v1/images' })).toEqual([]);
	});
});
