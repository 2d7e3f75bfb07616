const { spawnSync } = require('node:child_process');
const { rm } = require('node:fs/promises');
const { dest, series, src } = require('gulp');
const esbuild = require('esbuild');

const BUNDLED = ['nodes/shared/vendor/zod', 'nodes/shared/vendor/pLimit'];

async function clean() {
	await rm('dist', { recursive: true, force: true });
}

function compile(done) {
	const { status } = spawnSync(process.execPath, [require.resolve('typescript/bin/tsc'), '-p', 'tsconfig.build.json'], {
		stdio: 'inherit',
	});
	done(status === 0 ? undefined : new Error('TypeScript found errors'));
}

/** Puts the few third-party modules into the build, so that the package has no run-time dependency. */
async function bundle() {
	await esbuild.build({
		entryPoints: BUNDLED.map((module) => `${module}.ts`),
		outdir: 'dist/nodes/shared/vendor',
		outbase: 'nodes/shared/vendor',
		bundle: true,
		format: 'cjs',
		platform: 'node',
		target: 'node20',
		legalComments: 'inline',
	});
}

/** Icons and codex files are read by n8n from beside the compiled node. */
function assets() {
	return src(['{nodes,credentials}/**/*.svg', 'nodes/**/*.node.json'], { base: '.', encoding: false }).pipe(dest('dist'));
}

exports.clean = clean;
exports.build = series(clean, compile, bundle, assets);
