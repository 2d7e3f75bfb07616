import type { Families } from './core/service';
import { gridTaskRecord } from './grid/record';
import { gridRoutes } from './grid/routes';
import { imageTaskRecord } from './image/record';
import { imageRoutes } from './image/routes';
import { musicTaskRecord } from './music/record';
import { musicRoutes } from './music/routes';
import { videoTaskRecord } from './video/record';
import { videoRoutes } from './video/routes';

const SHARED_TASK_PATH = '/v1/tasks/{task_id}';

export const FAMILIES: Families = {
	image: {
		prefix: '/v1/images/',
		taskPath: SHARED_TASK_PATH,
		isEnveloped: true,
		durationMs: 3_000,
		record: imageTaskRecord,
		routes: imageRoutes,
	},
	music: {
		prefix: '/v1/music/',
		taskPath: '/v1/music/tasks/{task_id}',
		isEnveloped: true,
		durationMs: 8_000,
		record: musicTaskRecord,
		routes: musicRoutes,
	},
	grid: {
		prefix: '/v1/gridart/',
		taskPath: SHARED_TASK_PATH,
		isEnveloped: false,
		durationMs: 5_000,
		record: gridTaskRecord,
		routes: gridRoutes,
	},
	video: {
		prefix: '/v1/videos/',
		taskPath: SHARED_TASK_PATH,
		isEnveloped: false,
		durationMs: 10_000,
		record: videoTaskRecord,
		routes: videoRoutes,
	},
};
