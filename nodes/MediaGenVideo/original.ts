import { toDeploymentWords } from '../shared/api/brandWords';
import { withoutAlias } from '../shared/api/video';
import { judgeParent } from '../shared/tasks/parent';
import type { Precheck } from '../shared/tasks/checkParent';
import { z } from '../shared/util/vendor/zod';

const remixBody = z.object({ task_id: z.string(), model: z.string() });

/**
 * The original of an extension must have ended well, and by the same model (spec §5). The fields of a video's record
 * are not shown: where it does not name its model, the service decides, and the user is told so.
 */
export const judgeOriginal: Precheck['judge'] = (body, record, words) => {
	const verdict = judgeParent(record);
	if (verdict.refusal) return verdict;
	const { task_id: taskId, model } = remixBody.parse(body);
	if (typeof record?.model !== 'string') {
		return { note: `Whether task ${taskId} was made by ${model} is left to the service: its record does not name a model` };
	}
	if (withoutAlias(record.model) === withoutAlias(toDeploymentWords(model, words))) return {};
	return { refusal: { field: 'model', message: `must be the model that made the video: ${record.model}` } };
};
