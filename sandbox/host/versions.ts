/** The n8n versions this repository tests against: the last 1.x line and the current 2.x. */
export const HOST_VERSIONS = ['1.123', '2.41'] as const;

export type HostVersion = (typeof HOST_VERSIONS)[number];

/** How one n8n version is brought up. The exact version stands in the folder of its name, in package.json and its lockfile. */
export interface HostRecipe {
	/** Majors of Node.js that this n8n runs on, both inclusive. */
	node: { from: number; to: number };
	/** Native packages: installed without scripts like all others, then built by themselves. */
	rebuild: string[];
	/** What a first install takes, for the progress line. */
	usually: string;
	/** Settings that only this version knows. */
	env: Record<string, string>;
}

export const RECIPES: Record<HostVersion, HostRecipe> = {
	'1.123': {
		node: { from: 20, to: 24 },
		rebuild: ['sqlite3'],
		usually: '2 to 4 minutes, once',
		// The engine that replaced "legacy" needs isolated-vm, which Node 20 cannot load.
		env: { N8N_EXPRESSION_ENGINE: 'legacy' },
	},
	'2.41': {
		node: { from: 24, to: 26 },
		rebuild: ['sqlite3', 'isolated-vm'],
		usually: '3 to 6 minutes, once',
		// These modules fetch catalogues from the internet at start; nothing here uses them.
		env: { N8N_DISABLED_MODULES: 'mcp-registry,instance-ai,agents' },
	},
};

/**
 * Reads a list such as `1.123,2.41` (the form of `N8N_HOSTS`).
 *
 * @throws when a name in it is not one of {@link HOST_VERSIONS}
 */
export function parseHostVersions(list: string): HostVersion[] {
	return list
		.split(',')
		.map((name) => name.trim())
		.filter((name) => name !== '')
		.map((name) => {
			const version = HOST_VERSIONS.find((known) => known === name);
			if (!version) {
				throw new Error(
					`There is no n8n "${name}" here. Choose from: ${HOST_VERSIONS.join(', ')}.`,
				);
			}
			return version;
		});
}
