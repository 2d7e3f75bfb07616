// npm run test:mutation [-- <part of a file's name> …]
import { Stryker } from '@stryker-mutator/core';

/**
 * The files that decide about money, each with the tests that are to notice a change in it. Left out are field descriptions, hints
 * and value lists, where most changes would alter a text of the panel and nothing else.
 */
const TESTS_OF = {
	// What was bought
	'purchase/purchaseRecords': [
		'unit/shared/purchase/purchaseRecords',
		'engine/shared/purchase/loops',
	],
	'purchase/uploadedPictures': [
		'unit/shared/purchase/uploadedPictures',
		'engine/MediaGenImage/MediaGenImage',
	],
	'purchase/runPaidItems': [
		'engine/shared/purchase/runPaidItems',
		'engine/shared/purchase/spendingGuard',
	],
	'purchase/spendingGuard': ['engine/shared/purchase/spendingGuard'],
	// Requests and retries
	'api/http': ['unit/shared/api/http', 'engine/shared/api/hardEnd'],
	'api/errors': ['unit/shared/api/errors', 'unit/shared/api/http'],
	// Records and results
	'api/records': ['unit/shared/api/records', 'unit/shared/api/status'],
	'api/balance': ['unit/shared/api/balance'],
	'api/multipart': ['unit/shared/api/multipart'],
	'api/uploads': [
		'unit/shared/api/uploads',
		'engine/MediaGenUpload/MediaGenUpload',
		'engine/MediaGenImage/MediaGenImage',
	],
	'output/resultFiles': ['unit/shared/output/resultFiles'],
	'output/task': ['unit/shared/output/task', 'engine/shared/tasks/answers'],
	// Downloads
	'output/download': [
		'unit/shared/output/download',
		'engine/shared/output/downloadFaults',
		'engine/shared/output/readResults',
	],
	'output/fileNames': ['unit/shared/output/fileNames'],
	// Addresses
	'api/address': ['unit/shared/api/address', 'unit/shared/output/resultFiles'],
	'api/connection': ['unit/shared/api/connection'],
	'api/redact': ['unit/shared/api/connection'],
	'api/signedAddress': ['unit/shared/api/signedAddress', 'engine/MediaGenTrigger/reference'],
	// Wait, pause and resume
	'tasks/poll': ['engine/shared/tasks/poll'],
	'tasks/pause': [
		'engine/shared/tasks/pause',
		'engine/shared/tasks/resume',
		'engine/shared/tasks/watchPause',
	],
	'tasks/callbackAddress': ['engine/shared/tasks/pause', 'engine/MediaGenTrigger/reference'],
	'tasks/resume': [
		'engine/shared/tasks/resume',
		'engine/shared/tasks/watchPause',
		'engine/shared/report/customData',
	],
	'tasks/waitingExecution': ['engine/shared/tasks/resume', 'engine/shared/tasks/watchPause'],
	'tasks/watchPause': ['engine/shared/tasks/watchPause'],
	'tasks/existingTask': ['engine/shared/tasks/existingTask'],
	'tasks/taskErrors': ['engine/shared/tasks/poll'],
	'tasks/taskRun': [
		'engine/shared/tasks/poll',
		'engine/shared/tasks/answers',
		'engine/shared/tasks/existingTask',
		'engine/shared/tasks/unanswered',
	],
	'tasks/taskList': [
		'engine/shared/tasks/execute',
		'engine/shared/tasks/existingTask',
		'engine/shared/tasks/taskOperations',
		'engine/shared/purchase/runPaidItems',
		'engine/shared/purchase/spendingGuard',
	],
	'callbacks/callback': [
		'engine/MediaGenTrigger/receive',
		'engine/MediaGenTrigger/verify',
		'engine/shared/tasks/resume',
	],
	// The model of an agent: what is asked, what is read from the cache, what an answer used
	'MediaGenChatModel/prompt/question': ['engine/MediaGenChatModel/request'],
	'MediaGenChatModel/prompt/style': ['engine/MediaGenChatModel/request'],
	'MediaGenChatModel/prompt/messagesStyle': ['engine/MediaGenChatModel/request'],
	'MediaGenChatModel/prompt/completionsStyle': ['engine/MediaGenChatModel/request'],
	'MediaGenChatModel/warnings': ['unit/MediaGenChatModel/warnings'],
	'MediaGenChatModel/answer/answer': ['engine/MediaGenChatModel/answers'],
	'MediaGenChatModel/answer/events': ['unit/MediaGenChatModel/events'],
	'MediaGenChatModel/answer/streamedAnswer': ['unit/MediaGenChatModel/streamedAnswer'],
	'MediaGenChatModel/answer/wholeWords': ['unit/MediaGenChatModel/wholeWords'],
	'MediaGenChatModel/sdk/adapter': ['unit/MediaGenChatModel/adapter'],
	'MediaGenChatModel/model': [
		'engine/MediaGenChatModel/answers',
		'engine/MediaGenChatModel/request',
		'engine/MediaGenChatModel/cache',
		'engine/MediaGenChatModel/faults',
		'engine/MediaGenChatModel/spending',
	],
	'MediaGenChatModel/purchases': [
		'engine/MediaGenChatModel/spending',
		'engine/MediaGenChatModel/faults',
	],
};

/** A file of a node is named by its folder, one of nodes/shared by what stands behind that. */
const sourceOf = (file) => `nodes/${file.startsWith('MediaGen') ? '' : 'shared/'}${file}.ts`;

/** As Stryker counts: a mutant that could not be loaded at all counts neither way. */
const NOTICED = ['Killed', 'Timeout'];
const UNNOTICED = ['Survived', 'NoCoverage'];

const percent = ({ noticed, unnoticed }) =>
	`${((100 * noticed) / (noticed + unnoticed)).toFixed(1)} % (${noticed} of ${noticed + unnoticed})`;

async function mutate(file, tests) {
	process.env.MUTATION_TESTS = tests.join(',');
	return await new Stryker({
		mutate: [sourceOf(file)],
		ignorePatterns: ['/docs', '/dist', '/.sandbox'],
		testRunner: 'jest',
		jest: { configFile: 'test/mutation/jest.config.js' },
		coverageAnalysis: 'perTest',
		concurrency: Number(process.env.MUTATION_CONCURRENCY ?? 1),
		timeoutMS: 10_000,
		timeoutFactor: 2.5,
		// Each run leaves something behind in Jest's process.
		maxTestRunnerReuse: 200,
		reporters: ['progress-append-only'],
		warnings: { slow: false },
	}).runMutationTest();
}

const names = process.argv.slice(2);
const chosen = Object.entries(TESTS_OF).filter(
	([file]) => names.length === 0 || names.some((name) => file.includes(name)),
);
const total = { noticed: 0, unnoticed: 0 };
const summary = [];

for (const [file, tests] of chosen) {
	const mutants = await mutate(file, tests);
	const count = (statuses) => mutants.filter(({ status }) => statuses.includes(status)).length;
	const score = { noticed: count(NOTICED), unnoticed: count(UNNOTICED) };
	total.noticed += score.noticed;
	total.unnoticed += score.unnoticed;
	const line = `${file}: ${percent(score)}, ${count(['Timeout'])} of them by a timeout; ${count(['RuntimeError', 'CompileError'])} could not be loaded`;
	summary.push(line);
	console.log(`\n━━ ${line}`);
	for (const { status, location, mutatorName, replacement } of mutants) {
		if (UNNOTICED.includes(status))
			console.log(
				`${status} ${file}.ts:${location.start.line}:${location.start.column} ${mutatorName}: ${replacement}`,
			);
	}
}

console.log(`\n${summary.join('\n')}\n\nAll: ${percent(total)}`);
