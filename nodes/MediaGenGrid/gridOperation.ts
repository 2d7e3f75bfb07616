import type { Operation } from '../shared/n8n/describe';
import { judgeParent } from '../shared/tasks/parent';
import type { Precheck } from '../shared/tasks/checkParent';
import { submission, type SubmissionOperation } from '../shared/tasks/execute';

type GridOperation = Pick<
	SubmissionOperation,
	'name' | 'value' | 'action' | 'description' | 'fields' | 'schema'
> & {
	/** The last part of the path. */
	path: string;
	/** What the parent's record must show, besides that it has ended well. */
	judge?: Precheck['judge'];
};

const RESOURCE = { name: 'Grid', value: 'grid' };

/** Makes an operation of its fields and its request: `POST /v1/gridart/generations/{operation}` (spec §4). */
export function gridOperation({ path, judge, ...operation }: GridOperation): Operation {
	return submission({
		...operation,
		family: 'grid',
		resource: RESOURCE,
		toRequest: (body) => ({ path: `/v1/gridart/generations/${path}`, body }),
		precheck: {
			parentOf: ({ task_id }) => task_id,
			judge: (body, record, words) => {
				const verdict = judgeParent(record);
				return verdict.refusal ? verdict : (judge?.(body, record, words) ?? verdict);
			},
		},
	});
}
