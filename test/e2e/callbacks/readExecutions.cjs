// Run by n8n's own Node.js inside n8n's own node_modules, beside the n8n that uses the database: `node readExecutions.cjs '<json>'`.
// n8n's REST interface gives one execution at a time, far too slowly for thousands.
const [, , argument] = process.argv;
const { file, workflowId, from } = JSON.parse(argument);
const { Database, OPEN_READONLY } = require(require.resolve('sqlite3', { paths: [from] }));

const TASK_ID = /^task_[0-9a-f]{24}$/;

const SQL = `SELECT e."id", e."status", e."startedAt", d."data" FROM "execution_entity" e
	LEFT JOIN "execution_data" d ON d."executionId" = e."id" WHERE e."workflowId" = ? AND e."deletedAt" IS NULL`;

/** The data is a list of values in which every text stands by itself. */
const taskIdsIn = (data) => [...new Set(JSON.parse(data ?? '[]').filter((value) => typeof value === 'string' && TASK_ID.test(value)))];

const database = new Database(file, OPEN_READONLY, (error) => {
	if (error) throw error;
	database.configure('busyTimeout', 10_000);
	database.each(
		SQL,
		[workflowId],
		(failure, { id, status, startedAt, data }) => {
			if (failure) throw failure;
			console.log(JSON.stringify({ id: String(id), status, startedAt, taskIds: taskIdsIn(data) }));
		},
		(failure) => {
			if (failure) throw failure;
			database.close();
		},
	);
});
