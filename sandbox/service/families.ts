import type { Families } from './core/service';
import type { Submissions } from './core/tasks/submit';
import { gridSubmissions } from './grid/plan';
import { gridTaskRecord } from './grid/record';
import { imageSubmission } from './image/plan';
import { imageTaskRecord } from './image/record';
import { musicSubmissions } from './music/plan';
import { musicTaskRecord } from './music/record';
import { uploadSubmission } from './music/upload';
import { videoSubmission } from './video/plan';
import { videoTaskRecord } from './video/record';
import { remixSubmission } from './video/remix';

const SHARED_TASK_PATH = '/v1/tasks/{task_id}';

export const FAMILIES: Families = {
	image: {
		prefix: '/v1/images/',
		taskPath: SHARED_TASK_PATH,
		isEnveloped: true,
		durationMs: 3_000,
		record: imageTaskRecord,
	},
	music: {
		prefix: '/v1/music/',
		taskPath: '/v1/music/tasks/{task_id}',
		isEnveloped: true,
		durationMs: 8_000,
		record: musicTaskRecord,
	},
	grid: {
		prefix: '/v1/gridart/',
		taskPath: SHARED_TASK_PATH,
		isEnveloped: false,
		durationMs: 5_000,
		record: gridTaskRecord,
	},
	video: {
		prefix: '/v1/videos/',
		taskPath: SHARED_TASK_PATH,
		isEnveloped: false,
		durationMs: 10_000,
		record: videoTaskRecord,
	},
};

export const SUBMISSIONS: Submissions = {
	image: { '/v1/images/generations': imageSubmission },
	music: { ...musicSubmissions, '/v1/music/uploads': uploadSubmission },
	grid: gridSubmissions,
	video: { '/v1/videos/generations': videoSubmission, '/v1/videos/:id/remix': remixSubmission },
};
