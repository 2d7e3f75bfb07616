const { spawnSync } = require('node:child_process');
const { mkdir, rm, writeFile } = require('node:fs/promises');
const { basename, dirname, join, relative } = require('node:path');
const { dest, series, src } = require('gulp');
const esbuild = require('esbuild');
const { zodToJsonSchema } = require('zod-to-json-schema');

const { n8n } = require('./package.json');

/** What n8n loads, as it stands in `dist`: each file exports one class, which is called as the file is. */
const LOADED = [...n8n.nodes, ...n8n.credentials].map((path) => ({ path, name: basename(path).split('.')[0] }));

async function clean() {
	await rm('dist', { recursive: true, force: true });
}

/** Checks the types, and writes those that come with the package. */
function types(done) {
	const { status } = spawnSync(process.execPath, [require.resolve('typescript/bin/tsc'), '-p', 'tsconfig.build.json'], {
		stdio: 'inherit',
	});
	done(status === 0 ? undefined : new Error('TypeScript found errors'));
}

/**
 * Puts everything into one file, the few third-party modules included, so that the package has no run-time dependency and
 * n8n's start does not have to open a hundred small files.
 */
async function bundle() {
	const source = (path) => path.replace(/^dist/, '.').replace(/\.js$/, '');
	await esbuild.build({
		stdin: {
			contents: ["export * from './index';", ...LOADED.map(({ path, name }) => `export { ${name} } from '${source(path)}';`)].join('\n'),
			resolveDir: __dirname,
			sourcefile: 'bundle.ts',
			loader: 'ts',
		},
		outfile: 'dist/index.js',
		bundle: true,
		external: ['n8n-workflow'],
		format: 'cjs',
		platform: 'node',
		target: 'node20',
		legalComments: 'inline',
	});
}

/** The files that n8n looks for, each of which takes its class out of the bundle. */
async function doors() {
	for (const { path, name } of LOADED) {
		await mkdir(dirname(path), { recursive: true });
		await writeFile(path, `exports.${name} = require('${relative(dirname(path), 'dist/index.js')}').${name};\n`);
	}
}

/** The default output of each operation, where n8n's editor looks for it to show the fields before the first run. */
async function schemas() {
	const built = require('./dist/index.js');
	for (const { path, name } of LOADED.filter((each) => each.path.includes('/nodes/'))) {
		const { properties } = new built[name]().description;
		for (const field of properties.filter((each) => each.name === 'operation')) {
			const [resource] = field.displayOptions.show.resource;
			const folder = join(dirname(path), '__schema__', 'v1.0.0', resource);
			await mkdir(folder, { recursive: true });
			for (const { value: operation } of field.options) {
				const schema = built.outputSchemaOf(resource, operation);
				if (!schema) continue;
				const { $schema: _, ...json } = zodToJsonSchema(schema, { $refStrategy: 'none' });
				await writeFile(join(folder, `${operation}.json`), JSON.stringify(json));
			}
		}
	}
}

/** Icons and codex files are read by n8n from beside the compiled node. */
function assets() {
	return src(['{nodes,credentials}/**/*.svg', 'nodes/**/*.node.json'], { base: '.', encoding: false }).pipe(dest('dist'));
}

exports.clean = clean;

/** Without the types, which take most of the time. */
exports.quick = series(bundle, doors, schemas, assets);

exports.build = series(clean, types, bundle, doors, schemas, assets);
