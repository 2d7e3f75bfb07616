// Which folder may import from which; type imports count. Run as part of `npm run lint`. docs/architecture.md explains it.

/** Folders of nodes/shared: each imports from itself and from those after it. */
const SHARED = ['tasks', 'purchase', 'report', 'output', 'n8n', 'callbacks', 'api', 'util'];

const against = (order, root) =>
	order.slice(1).map((name, index) => ({
		name: `${name}-imports-${order.slice(0, index + 1).join('-or-')}`,
		comment: `In ${root}, imports go one way: ${order.join(' → ')}.`,
		severity: 'error',
		from: { path: `^${root}/${name}/` },
		to: { path: `^${root}/(${order.slice(0, index + 1).join('|')})/` },
	}));

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
	forbidden: [
		{
			name: 'cycle',
			comment:
				'Two files that import each other, directly or not, cannot be read or changed one by one.',
			severity: 'error',
			from: {},
			to: { circular: true },
		},
		{
			name: 'sandbox-imports-nodes',
			comment:
				'The sandbox reads the specification by itself: it would repeat a mistake of the nodes.',
			severity: 'error',
			from: { path: '^sandbox/' },
			to: { path: '^(nodes|credentials)/' },
		},
		{
			name: 'package-imports-sandbox-or-test',
			comment: 'Neither is published.',
			severity: 'error',
			from: { path: '^(nodes|credentials|index\\.ts)' },
			to: { path: '^(sandbox|test)/' },
		},
		{
			name: 'sandbox-imports-test',
			severity: 'error',
			from: { path: '^sandbox/' },
			to: { path: '^test/' },
		},
		...against(SHARED, 'nodes/shared'),
		{
			name: 'shared-imports-a-node',
			comment: 'What the nodes share knows none of them.',
			severity: 'error',
			from: { path: '^nodes/shared/' },
			to: { path: '^(nodes/(?!shared/)|credentials/)' },
		},
		{
			name: 'shared-file-outside-its-folders',
			comment: `nodes/shared has the folders ${SHARED.join(', ')}, and nothing beside them.`,
			severity: 'error',
			from: {},
			to: { path: '^nodes/shared/', pathNot: `^nodes/shared/(${SHARED.join('|')})/` },
		},
		{
			name: 'node-imports-another-node',
			comment: 'What two nodes need belongs into nodes/shared.',
			severity: 'error',
			from: { path: '^nodes/(MediaGen[^/]+)/' },
			to: { path: '^nodes/MediaGen[^/]+/', pathNot: '^nodes/$1/' },
		},
		{
			name: 'service-core-imports-a-family',
			comment:
				'In sandbox/service, imports go from the entry and admin to the families, and from those to core and media.',
			severity: 'error',
			from: { path: '^sandbox/service/(core|media)/' },
			to: { path: '^sandbox/service/', pathNot: '^sandbox/service/(core|media)/' },
		},
		{
			name: 'service-family-imports-another-or-the-entry',
			comment: 'What two families need belongs into sandbox/service/core.',
			severity: 'error',
			from: { path: '^sandbox/service/(?!core/|media/|admin/)([^/]+)/' },
			to: { path: '^sandbox/service/', pathNot: '^sandbox/service/(core|media|$1)/' },
		},
		{
			name: 'service-admin-imports-the-entry',
			severity: 'error',
			from: { path: '^sandbox/service/admin/' },
			to: { path: '^sandbox/service/[^/]+$' },
		},
		{
			name: 'service-imports-host-or-start',
			comment: 'The service is a program of its own.',
			severity: 'error',
			from: { path: '^sandbox/service/' },
			to: { path: '^sandbox/(host|start)/' },
		},
		{
			name: 'host-imports-service-or-start',
			comment: 'sandbox/host starts any n8n, without the service.',
			severity: 'error',
			from: { path: '^sandbox/host/' },
			to: { path: '^sandbox/(service|start)/' },
		},
	],
	options: {
		doNotFollow: { path: 'node_modules' },
		tsPreCompilationDeps: true,
		tsConfig: { fileName: 'tsconfig.json' },
		exclude: { path: '(^|/)(node_modules|dist)/' },
	},
};
