// Run by n8n's own Node.js inside n8n's own node_modules, beside the n8n that uses the database: `node readExecutions.cjs '<json>'`.
// n8n's REST interface gives one execution at a time, far too slowly for thousands.
const [, , argument] = process.argv;
const { database, workflowId, from } = JSON.parse(argument);
const load = (name) => require(require.resolve(name, { paths: [from] }));

const TASK_ID = /^task_[0-9a-f]{24}$/;

const SQL = `SELECT e."id", e."status", e."startedAt", d."data" FROM "execution_entity" e
	LEFT JOIN "execution_data" d ON d."executionId" = e."id" WHERE e."workflowId" = $1 AND e."deletedAt" IS NULL`;

/** The data is a list of values in which every text stands by itself. */
const taskIdsIn = (data) => [
	...new Set(
		JSON.parse(data ?? '[]').filter((value) => typeof value === 'string' && TASK_ID.test(value)),
	),
];

const print = ({ id, status, startedAt, data }) =>
	console.log(
		JSON.stringify({
			id: String(id),
			status,
			startedAt: startedAt && String(startedAt),
			taskIds: taskIdsIn(data),
		}),
	);

async function sqlite() {
	const { Database, OPEN_READONLY } = load('sqlite3');
	const connection = await new Promise((resolve, reject) => {
		const opened = new Database(database.file, OPEN_READONLY, (error) =>
			error ? reject(error) : resolve(opened),
		);
	});
	connection.configure('busyTimeout', 10_000);
	await new Promise((resolve, reject) => {
		const row = (error, found) => (error ? reject(error) : print(found));
		connection.each(SQL, [workflowId], row, (error) => (error ? reject(error) : resolve()));
	});
	connection.close();
}

async function postgres() {
	const { Client } = load('pg');
	const client = new Client(database.connection);
	await client.connect();
	for (const row of (await client.query(SQL, [workflowId])).rows) print(row);
	await client.end();
}

(database.file ? sqlite() : postgres()).catch((error) => {
	console.error(error);
	process.exitCode = 1;
});
