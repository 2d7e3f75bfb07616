import type { ChatModel, Message, Tool } from '@n8n/ai-node-sdk';

import { promptBlocks } from '../../support/promptBlocks';
import { document, useChatSandbox } from '../support/chat';
import { ask, assistant, called, drawTool, system, user, withModel } from '../support/chatModel';
import { log } from '../support/engine';

const service = useChatSandbox();

const GUIDE = document('style guide', 3_000);

const TOOLS: Tool[] = [
	drawTool,
	{ type: 'function', name: 'sing', inputSchema: { type: 'object', properties: {} } },
];

const markersIn = (body: unknown) => JSON.stringify(body).split('"cache_control"').length - 1;

/** Ten turns as an agent of n8n has them: it repeats calls that were made side by side one after the other, with their ids. */
async function tenTurns(model: ChatModel): Promise<void> {
	const withTools = model.withTools(TOOLS);
	const talk: Message[] = [system(GUIDE)];
	for (let turn = 0; turn < 10; turn++) {
		talk.push(user(`Question ${turn}: what is next?`));
		await withTools.generate([...talk]);
		if (turn % 3 === 0) {
			for (const side of ['left', 'right'])
				talk.push(...called(`call-${turn}-${side}`, 'draw', { what: side }, `[{"url":"${side}"}]`));
			for await (const chunk of withTools.stream([...talk])) void chunk;
		}
		talk.push(assistant(`Answer ${turn}.`));
	}
}

test.each(['messages', 'completions'])(
	'ten turns in %s style send the same bytes again each time, with at most four markers, and nothing is told of the cache',
	async (apiStyle) => {
		service.sandbox.settings.set({ strict: true });
		await withModel({ credential: service.credential(), parameters: { apiStyle } }, tenTurns);
		const bodies = service.requests().map(({ body }) => body);
		expect(bodies).toHaveLength(14);
		let before: string[] = [];
		for (const body of bodies) {
			const now = promptBlocks(body);
			expect(now.slice(0, before.length)).toEqual(before);
			expect(now.length).toBeGreaterThan(before.length);
			expect(markersIn(body)).toBeLessThanOrEqual(4);
			before = now;
		}
		expect(log.filter((line) => line.startsWith('MediaGen: "'))).toEqual([]);
	},
);

describe('what defeats the cache is told once in the log', () => {
	const asking = async (...talks: Message[][]) => {
		await withModel({ credential: service.credential() }, async (model) => {
			for (const talk of talks) await model.withTools(TOOLS).generate(talk);
		});
		return log.filter((line) => line.startsWith('MediaGen: "Model"'));
	};

	test('a time in the system prompt', async () => {
		const at = (minute: number) => [
			system(`It is 2026-11-23T04:${minute}:00Z. ${GUIDE}`),
			user('Why?'),
		];
		const lines = await asking(at(10), at(11), at(12));
		expect(lines).toEqual([
			expect.stringContaining('The system prompt has what looks like a timestamp at character 7'),
			expect.stringContaining('The system prompt differs from that of the last question'),
		]);
	});

	test('a short prompt', async () => {
		expect(
			await asking([system('Be brief.'), user('Why?')], [system('Be brief.'), user('Why?')]),
		).toEqual([expect.stringMatching(/Nothing is cached: the prompt has \d+ tokens/)]);
	});

	test.each([
		['that was cut', 'one two three four five six', 'The answer was cut at "Max Tokens"'],
		['without a word', '', 'The answer is empty'],
	])('an answer %s', async (_, text, words) => {
		service.sandbox.chat.script({ text });
		const run = { credential: service.credential(), parameters: { maxTokens: 4 } };
		await ask(run, system(GUIDE), user('Count'));
		expect(log.join('\n')).toContain(words);
	});

	test('nothing of it with Caching off', async () => {
		await ask(
			{ credential: service.credential(), parameters: { caching: 'off' } },
			system('It is 2026-11-23T04:10:00Z.'),
			user('Why?'),
		);
		expect(log.filter((line) => line.startsWith('MediaGen: "'))).toEqual([]);
	});
});
