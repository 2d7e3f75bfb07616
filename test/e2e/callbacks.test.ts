import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../../sandbox/host';
import { floodTrigger } from './callbacks/floodTrigger';
import { openGate } from './callbacks/gate';
import { pausing } from './callbacks/pausing';
import { report } from './callbacks/report';
import { createSender } from './callbacks/sender';
import { killAndRestart, restart } from './support/executions';
import { describeLongWithOwnHosts, useHost } from './support/hosts';
import { promptsOf } from './support/nodes';
import { until } from './support/poll';
import { callbackAnswers, callbacksAreOver, credentialFor, useSandbox } from './support/sandbox';

const PAUSED = Number(process.env.MEDIAGEN_PAUSED ?? 100);
const FLOOD = Number(process.env.MEDIAGEN_FLOOD ?? 150);

/** About as long as n8n takes to end and to start. */
const RESTART_MS = 15_000;
const CREDENTIAL = 'Sandbox';

jest.setTimeout(600_000 + FLOOD * 500);

describeLongWithOwnHosts('Many paused executions', '1.123', (version, start) => {
	const host = useHost(start);
	const sandbox = useSandbox(host, CREDENTIAL, { durations: { image: null } });
	const { bought, finishAll, pauseEach, resumed } = pausing(host, sandbox, CREDENTIAL);

	test(`${PAUSED} paused executions survive a kill: each resumes once, with its own result`, async () => {
		const workflow = await pauseEach(promptsOf(PAUSED));
		await killAndRestart(host());
		const began = Date.now();
		finishAll();
		const right = await resumed(workflow, bought());
		report(`Paused executions, n8n ${version}, killed and restarted`, {
			paused: PAUSED,
			'resumed once with their own result': right,
			seconds: ((Date.now() - began) / 1_000).toFixed(1),
		});
		expect(right).toBe(PAUSED);
	}, 400_000);

	test(`${PAUSED} paused executions and ${FLOOD} tasks for a trigger, called back over a restart of n8n behind a proxy: none is lost`, async () => {
		const port = await freePort();
		const address = `http://127.0.0.1:${port}`;
		const gate = await openGate(address);
		const sender = createSender({ pace: RESTART_MS / FLOOD });
		try {
			const behind = await start({ port, env: { WEBHOOK_URL: gate.through(address) } });
			await behind.createCredential(credentialFor(sandbox(), CREDENTIAL));
			const { pauseEach, resumed } = pausing(() => behind, sandbox, CREDENTIAL);
			const workflow = await pauseEach(promptsOf(PAUSED));
			const paused = bought();
			for (const { webhook } of paused)
				expect(webhook.startsWith(gate.through(address))).toBe(true);
			sandbox().durations.set({ image: 0 });

			const callBack = async () => {
				for (const { taskId } of paused) {
					sandbox().tasks.finish(taskId);
					await delay(RESTART_MS / PAUSED);
				}
			};
			// As an operator does it: some calls come before, some while n8n stops, some while it is down, and some while it starts.
			const kill = async () => {
				const called = callBack();
				await delay(1_000);
				await gate.hold();
				const running = async () =>
					(await behind.executions({ status: ['running', 'new'] })).length;
				expect(await until(running, (count) => count === 0, 180_000)).toBe(0);
				await restart(behind);
				await gate.letThrough();
				await called;
			};
			const { sent, executions, missing, endedTwice } = await floodTrigger(
				`Trigger, n8n ${version}, restarted in the middle with ${PAUSED} pauses, behind a proxy`,
				{ host: behind, sandbox: sandbox(), sender, credential: CREDENTIAL, tasks: FLOOD },
				{ kill, address: gate.through },
			);
			await callbacksAreOver(sandbox(), 200_000);
			const right = await resumed(workflow, paused);
			const crashed = executions.filter(({ status }) => status === 'crashed').length;
			report(`Paused executions, n8n ${version}, called back over the same restart`, {
				paused: PAUSED,
				'resumed once with their own result': right,
				'called back more than once': callbackAnswers(sandbox()).filter((tries) => tries.length > 1)
					.length,
			});
			expect({ missing, endedTwice, crashed, right }).toEqual({
				...{ missing: [], endedTwice: [], crashed: 0 },
				right: PAUSED,
			});
			expect(sent.filter(({ accepted }) => !accepted)).toEqual([]);
			// 409: the node had asked by itself.
			expect(
				callbackAnswers(sandbox()).filter((tries) => ![200, 409].includes(tries.at(-1) ?? 0)),
			).toEqual([]);
		} finally {
			sender.close();
			await gate.close();
		}
	});
});
