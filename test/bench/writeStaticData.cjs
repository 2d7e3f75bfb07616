// Run by n8n's own Node.js inside n8n's own node_modules: `node writeStaticData.cjs '<json>'`. n8n reads static data at every call.
const [, , argument] = process.argv;
const { file, workflowId, staticData, from } = JSON.parse(argument);
const { Database } = require(require.resolve('sqlite3', { paths: [from] }));

const database = new Database(file);
database.configure('busyTimeout', 10_000);
database.run('UPDATE "workflow_entity" SET "staticData" = ? WHERE "id" = ?', [JSON.stringify(staticData), workflowId], (error) => {
	if (error) throw error;
	database.close();
});
