import type { Service } from '../core/service';
import { progressOf, type Task } from '../core/store/tasks';
import { RecordWriter } from '../core/tasks/record';
import type { GridButton } from './buttons';
import type { GridPlan } from './plan';

/** The grid task record (spec, Grid-image task). Of the state words, the spec shows `SUCCESS` only. */
export function gridTaskRecord(service: Service, task: Task<GridPlan>): object {
	const writer = new RecordWriter(service);
	const { blank, dialect } = writer;
	const { stage } = progressOf(task, service.clock.now());
	const record = {
		...writer.echo(task),
		id: writer.id(task.id),
		status: dialect.words.grid[stage],
		action: dialect.showsAction ? task.plan.action : null,
		error: writer.error(task, stage),
	};
	const url = (name: string | null) =>
		(task.results ?? [])
			.filter((result) => result.name === name)
			.map(({ file }) => service.files.url(file));
	const [grid] = url('grid');
	const pictures = url(null);
	if (stage !== 'completed') {
		return {
			...record,
			grid_image_url: blank.value,
			image_urls: blank.container,
			buttons: blank.container,
		};
	}
	// The spec shows the record of a grid; that of a single picture is the dialect's own.
	const isSingle = grid === undefined && dialect.links === 'record';
	return {
		...record,
		grid_image_url: grid ?? blank.value,
		...(isSingle ? { image_url: pictures[0], image_urls: [] } : { image_urls: pictures }),
		buttons: task.plan.buttons.map((button) => buttonIn(dialect.buttons, button)),
	};
}

function buttonIn(form: 'objects' | 'camelCase' | 'ids', button: GridButton): unknown {
	const { custom_id, ...rest } = button;
	switch (form) {
		case 'objects':
			return button;
		case 'camelCase':
			return { customId: custom_id, ...rest, emoji: rest.emoji || null };
		case 'ids':
			return custom_id;
	}
}
