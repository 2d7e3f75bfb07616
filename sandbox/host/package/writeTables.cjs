// Run by n8n's own Node.js inside n8n's own node_modules: `node writeTables.cjs '<json>'`, with the database that n8n has made.
// n8n loads a package from its folder alone; the list under Settings > Community nodes comes from these two tables.
const [, , argument] = process.argv;
const { database, pack, nodes, from } = JSON.parse(argument);
const load = (name) => require(require.resolve(name, { paths: [from] }));

const quoted = (identifier) => `"${identifier}"`;
const packages = ['packageName', 'installedVersion', 'authorName', 'authorEmail'];
const installed = ['name', 'type', 'latestVersion', 'package'];
const statements = [
	{ sql: 'DELETE FROM "installed_nodes" WHERE "package" = $1', values: [pack.name] },
	{ sql: 'DELETE FROM "installed_packages" WHERE "packageName" = $1', values: [pack.name] },
	{
		sql: `INSERT INTO "installed_packages" (${packages.map(quoted).join(', ')}) VALUES ($1, $2, $3, $4)`,
		values: [pack.name, pack.version, pack.author.name, pack.author.email],
	},
	...nodes.map((node) => ({
		sql: `INSERT INTO "installed_nodes" (${installed.map(quoted).join(', ')}) VALUES ($1, $2, $3, $4)`,
		values: [node.displayName, node.type, node.version, pack.name],
	})),
];

async function sqlite() {
	const { Database } = load('sqlite3');
	const connection = await new Promise((resolve, reject) => {
		const opened = new Database(database.file, (error) =>
			error ? reject(error) : resolve(opened),
		);
	});
	connection.configure('busyTimeout', 10_000);
	for (const { sql, values } of statements) {
		await new Promise((resolve, reject) =>
			connection.run(sql, values, (error) => (error ? reject(error) : resolve())),
		);
	}
	await new Promise((resolve) => connection.close(resolve));
}

async function postgres() {
	const { Client } = load('pg');
	const client = new Client(database.connection);
	await client.connect();
	try {
		for (const { sql, values } of statements) await client.query(sql, values);
	} finally {
		await client.end();
	}
}

(database.file ? sqlite() : postgres()).catch((error) => {
	console.error(error);
	process.exitCode = 1;
});
