import { z } from 'zod/v3';

import type { Host } from '../../../sandbox/host';
import type { Editor } from './editor';

const tables = z.object({
	data: z.array(z.object({ id: z.string(), name: z.string(), projectId: z.string() })),
});

const rows = z.object({ data: z.array(z.record(z.unknown())) });

/** Rows of a page: n8n gives as many at most, and 1.123 fewer. */
const ALL = 250;

async function find(host: Host, name: string) {
	const { data } = await host.api.call(tables, {
		url: '/rest/data-tables-global',
		params: { take: ALL },
	});
	return data.find((table) => table.name === name);
}

async function pathOf(host: Host, name: string): Promise<string | undefined> {
	const found = await find(host, name);
	return found && `/rest/projects/${found.projectId}/data-tables/${found.id}`;
}

/** Takes a picture of a table as n8n's editor shows it, once a row has this text. */
export async function showTable(
	editor: Editor,
	host: Host,
	name: string,
	text: string,
): Promise<Buffer> {
	const found = await find(host, name);
	await editor.page.goto(`/projects/${found?.projectId}/datatables/${found?.id}`);
	// Wide enough for all columns.
	await editor.page.setViewportSize({ width: 1_900, height: 660 });
	await editor.page.locator('.ag-row').filter({ hasText: text }).first().waitFor();
	return await editor.screenshot();
}

/** The rows of a Data Table, of which n8n 1.123 knows no names; empty where there is no such table. */
export async function rowsOf(host: Host, name: string): Promise<Array<Record<string, unknown>>> {
	const path = await pathOf(host, name);
	if (path === undefined) return [];
	const read: Array<Record<string, unknown>> = [];
	for (;;) {
		const params = { take: ALL, skip: read.length };
		const { data } = await host.api.call(rows, { url: `${path}/rows`, params });
		if (data.length === 0) return read;
		read.push(...data);
	}
}

/** Empties a cell, as a person does in n8n's table of rows. */
export async function emptyCell(
	host: Host,
	name: string,
	row: unknown,
	column: string,
): Promise<void> {
	const filter = { type: 'and', filters: [{ columnName: 'id', condition: 'eq', value: row }] };
	const data = { filter, data: { [column]: null } };
	await host.api.call(z.unknown(), {
		method: 'PATCH',
		url: `${await pathOf(host, name)}/rows`,
		data,
	});
}

/** Deletes a Data Table, so that a test begins without it. */
export async function dropTable(host: Host, name: string): Promise<void> {
	const path = await pathOf(host, name);
	if (path !== undefined) await host.api.call(z.unknown(), { method: 'DELETE', url: path });
}

/** Creates a Data Table with columns of text and numbers, as a person does where the Data Table node has no operations on tables. */
export async function createTable(
	host: Host,
	name: string,
	columns: ReadonlyArray<{ name: string; type: string }>,
): Promise<string> {
	const named = z.object({ id: z.string() });
	const { id: project } = await host.api.call(named, { url: '/rest/projects/personal' });
	const url = `/rest/projects/${project}/data-tables`;
	return (await host.api.call(named, { method: 'POST', url, data: { name, columns } })).id;
}
