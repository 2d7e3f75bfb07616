// Run by n8n's own Node.js inside n8n's own node_modules: `node writeStaticData.cjs '<json>'`. n8n reads static data at every call.
const [, , argument] = process.argv;
const { database, workflowId, staticData, from } = JSON.parse(argument);
const { Database } = require(require.resolve('sqlite3', { paths: [from] }));

const connection = new Database(database.file);
connection.configure('busyTimeout', 10_000);
connection.run(
	'UPDATE "workflow_entity" SET "staticData" = ? WHERE "id" = ?',
	[JSON.stringify(staticData), workflowId],
	(error) => {
		if (error) throw error;
		connection.close();
	},
);
