const { spawnSync } = require('node:child_process');
const { mkdir, readdir, readFile, rm, writeFile } = require('node:fs/promises');
const { basename, dirname, join, relative } = require('node:path');
const { dest, series, src } = require('gulp');
const esbuild = require('esbuild');
const { zodToJsonSchema } = require('zod-to-json-schema');

const { n8n } = require('./package.json');

/** What n8n loads, as it stands in `dist`: each file exports one class, which is called as the file is. */
const LOADED = [...n8n.nodes, ...n8n.credentials].map((path) => ({
	path,
	name: basename(path).split('.')[0],
}));

async function clean() {
	await rm('dist', { recursive: true, force: true });
}

/** Writes the types of what a programmer may import. `npm run typecheck` checks all others. */
function types(done) {
	const { status } = spawnSync(
		process.execPath,
		[require.resolve('typescript/bin/tsc'), '-p', 'tsconfig.build.json'],
		{
			stdio: 'inherit',
		},
	);
	done(status === 0 ? undefined : new Error('TypeScript found errors'));
}

/**
 * Puts everything into one file, the few third-party modules included, so that the package has no run-time dependency and
 * n8n's start does not have to open a hundred small files.
 */
async function bundle() {
	const source = (path) => path.replace(/^dist/, '.').replace(/\.js$/, '');
	const built = await esbuild.build({
		stdin: {
			contents: [
				"export * from './index';",
				...LOADED.map(({ path, name }) => `export { ${name} } from '${source(path)}';`),
			].join('\n'),
			resolveDir: __dirname,
			sourcefile: 'bundle.ts',
			loader: 'ts',
		},
		outfile: 'dist/index.js',
		bundle: true,
		external: ['n8n-workflow', '@n8n/ai-node-sdk'],
		// n8n finds its SDK for "require" alone.
		supported: { 'dynamic-import': false },
		format: 'cjs',
		platform: 'node',
		target: 'node20',
		legalComments: 'inline',
		metafile: true,
	});
	await writeFile('dist/LICENSES.txt', await licensesOf([built]));
}

/** The files that n8n looks for, each of which takes its class out of the bundle. */
async function entries() {
	for (const { path, name } of LOADED) {
		await mkdir(dirname(path), { recursive: true });
		await writeFile(
			path,
			`exports.${name} = require('${relative(dirname(path), 'dist/index.js')}').${name};\n`,
		);
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
				// This form says of a value that may be null what it is otherwise; of the usual one the editor shows "null" alone.
				const json = zodToJsonSchema(schema, { $refStrategy: 'none', target: 'openApi3' });
				await writeFile(join(folder, `${operation}.json`), JSON.stringify(json));
			}
		}
	}
}

/** Icons and codex files are read by n8n from beside the compiled node. */
function assets() {
	return src(['{nodes,credentials}/**/*.svg', 'nodes/**/*.node.json'], {
		base: '.',
		encoding: false,
	}).pipe(dest('dist'));
}

const SANDBOX = 'sandbox/service/dist';

/**
 * The sandbox as a command of its own, `mediagen-sandbox`: one file with all libraries in it but sharp, which is native. What the
 * sources resolve only when they need it, a font and a vocabulary, is written beside it.
 */
async function sandbox() {
	await rm(SANDBOX, { recursive: true, force: true });
	const beside = new Set();
	const options = {
		outdir: SANDBOX,
		bundle: true,
		format: 'cjs',
		platform: 'node',
		target: 'node20',
		legalComments: 'inline',
		loader: { '.woff': 'copy' },
		entryNames: '[name]',
		charset: 'utf8',
		metafile: true,
	};
	const resolvedLater = {
		name: 'resolved-later',
		setup(build) {
			build.onResolve({ filter: /^[^.]/ }, ({ path, kind }) => {
				if (kind !== 'require-resolve') return undefined;
				beside.add(require.resolve(path));
				return { path: `./${basename(require.resolve(path))}`, external: true };
			});
		},
	};
	const command = await esbuild.build({
		...options,
		entryPoints: ['sandbox/service/cli.ts'],
		external: ['sharp'],
		plugins: [resolvedLater],
	});
	const rest = await esbuild.build({ ...options, entryPoints: [...beside] });
	await writeFile(join(SANDBOX, 'LICENSES.txt'), await licensesOf([command, rest]));
}

/** The licenses of the libraries in a bundle; most of them ask for their text to come along. */
async function licensesOf(builds) {
	const inputs = builds.flatMap(({ metafile }) => Object.keys(metafile.inputs));
	const folders = new Set(
		inputs.map((path) => /^.*node_modules\/(@[^/]+\/)?[^/]+/.exec(path)?.[0]).filter(Boolean),
	);
	const texts = [...folders].sort().map(async (folder) => {
		const files = (await readdir(folder)).filter((name) => /^licen[cs]e/i.test(name));
		const { name, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
		return [
			`## ${name} (${license})`,
			...(await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')))),
		].join('\n\n');
	});
	return (await Promise.all(texts)).join('\n\n');
}

exports.clean = clean;

exports.sandbox = sandbox;

/** Without the types, which take most of the time. */
exports.quick = series(bundle, entries, schemas, assets);

exports.build = series(clean, types, bundle, entries, schemas, assets);
