import sharp from 'sharp';
import { PRICES, type OriginalGridOptions } from '../../sandbox/service';
import { IMAGES, OFFICIAL } from './support/images';
import { download, refusalOf, text, useBench, type Json } from './support/sandbox';

const PATHS = {
	variation: '/v1/gridart/generations/variation',
	'low-variation': '/v1/gridart/generations/low-variation',
	reroll: '/v1/gridart/generations/reroll',
} as const;
type Operation = keyof typeof PATHS;
const ALL = Object.keys(PATHS) as Operation[];

const it = useBench();

const parent = (options: OriginalGridOptions = {}) => it.sandbox.originals.grid(options).id;

async function refusal(operation: Operation, body: object) {
	const before = it.sandbox.ledger();
	const answer = await it.client.post(PATHS[operation], body);
	expect(it.sandbox.ledger()).toEqual(before);
	return refusalOf(answer);
}

async function finished(operation: Operation, body: object): Promise<Json> {
	return await it.finished(PATHS[operation], body);
}

const INVALID = 'invalid_request_error';

/** The codes of an invalid request and of an unknown task. */
const CODES = [
	['variation', 400, 404],
	['low-variation', 400, 404],
	['reroll', 4, 3],
] as const;

describe('grid operations refuse', () => {
	test.each(['variation', 'low-variation'] as const)(
		'%s with an index outside 1 to 4, or none, and no custom_id',
		async (operation) => {
			const task_id = parent();
			for (const index of [undefined, 0, 5, 1.5, '1', null]) {
				const refused = await refusal(operation, { task_id, index });
				expect([index, ...refused]).toEqual([index, 400, 400, INVALID]);
			}
		},
	);

	test.each(CODES)('%s without task_id: code %i', async (operation, code) => {
		expect(await refusal(operation, { index: 1 })).toEqual([400, code, INVALID]);
	});

	test.each(CODES)('%s of a parent that is not in SUCCESS: code %i', async (operation, code) => {
		for (const state of ['running', 'failed'] as const) {
			const refused = await refusal(operation, { task_id: parent({ state }), index: 1 });
			expect(refused).toEqual([400, code, INVALID]);
		}
		const first = await it.client.submit(PATHS.reroll, { task_id: parent() });
		const running = await refusal(operation, { task_id: first, index: 1 });
		expect(running).toEqual([400, code, INVALID]);
		await it.clock.advance(5_000);
		expect((await it.client.post(PATHS[operation], { task_id: first, index: 1 })).status).toBe(200);
	});

	test.each(CODES)('%s of an unknown task', async (operation, _invalid, code) => {
		const picture = await it.client.submit(IMAGES, OFFICIAL);
		const foreign = parent({ key: 'sandbox-key-unlimited' });
		for (const task_id of ['task_unknown', picture, foreign]) {
			const refused = await refusal(operation, { task_id, index: 1 });
			expect(refused).toEqual([404, code, 'not_found_error']);
		}
	});

	test('reroll that the service refuses: 502 with code 9', async () => {
		const task_id = parent({ prompt: 'sandbox:refuse' });
		expect(await refusal('reroll', { task_id })).toEqual([502, 9, 'bad_gateway']);
		it.sandbox.faults.add({
			match: { path: PATHS.reroll },
			effect: { type: 'status', status: 502, code: 9 },
		});
		expect(await refusal('reroll', { task_id: parent() })).toEqual([502, 9, 'bad_gateway']);
	});

	test('reroll of what is no imagine or reroll grid', async () => {
		const variation = text((await finished('variation', { task_id: parent(), index: 1 })).id);
		const low = text((await finished('low-variation', { task_id: parent(), index: 1 })).id);
		const singles = [parent({ action: 'UPSCALE' }), parent({ action: 'PAN' })];
		for (const task_id of [variation, low, ...singles]) {
			expect(await refusal('reroll', { task_id })).toEqual([400, 4, INVALID]);
		}
		const again = text((await finished('reroll', { task_id: parent() })).id);
		expect((await it.client.post(PATHS.reroll, { task_id: again })).status).toBe(200);
	});

	test.each(ALL)('%s with a custom_id that the parent does not have', async (operation) => {
		const body = { task_id: parent(), custom_id: 'GRIDART::JOB::none::1::x' };
		expect((await refusal(operation, body))[0]).toBe(400);
	});

	test.each(ALL)('%s with a speed that is no text, or other metadata', async (operation) => {
		const task_id = parent();
		expect((await refusal(operation, { task_id, index: 1, speed: 1 }))[0]).toBe(400);
		expect((await refusal(operation, { task_id, index: 1, metadata: 'x' }))[0]).toBe(400);
	});
});

describe('the button of an operation', () => {
	const ids = (task: string) =>
		it.client.task(task).then(({ buttons }) => Object.values(buttons ?? {}));
	const buttonFor = async (operation: Operation, body: object) =>
		it.sandbox.tasks.get(await it.client.submit(PATHS[operation], body))?.applied.custom_id;

	test('is Vary (Subtle) of the picture with that index', async () => {
		const task_id = parent();
		const buttons = await ids(task_id);
		for (const operation of ['variation', 'low-variation'] as const) {
			for (const index of [1, 2, 3, 4]) {
				const expected = buttons.find(
					(button) => button?.label === (`Vary (Subtle) V${index}` as unknown),
				)?.custom_id;
				expect(expected).toBeDefined();
				expect(await buttonFor(operation, { task_id, index })).toBe(expected);
			}
		}
	});

	test('is Vary (Subtle) of an upscaled picture, else Make Variations, and that for low-variation only', async () => {
		const newer = parent({ action: 'UPSCALE' });
		const older = parent({ action: 'UPSCALE', olderButtons: true });
		const low = (task_id: string) => buttonFor('low-variation', { task_id, index: 1 });
		expect(await low(newer)).toMatch(/::low_variation::/);
		expect(await low(older)).toMatch(/::variation::/);
		expect((await refusal('variation', { task_id: older, index: 1 }))[0]).toBe(400);
	});

	test('of a reroll has ::reroll:: in its id, or the emoji', async () => {
		expect(await buttonFor('reroll', { task_id: parent() })).toMatch(/::reroll::/);
		const byEmoji = parent({
			buttons: [
				{ custom_id: 'other', label: 'U1' },
				{ custom_id: 'again', label: '', emoji: '🔄' },
			],
		});
		expect(await buttonFor('reroll', { task_id: byEmoji })).toBe('again');
	});

	test('is the one of custom_id, for every index', async () => {
		const task_id = parent();
		const [first] = await ids(task_id);
		const custom_id = text(first?.custom_id);
		const id = await it.client.submit(PATHS.variation, { task_id, custom_id, index: 99 });
		expect(it.sandbox.tasks.get(id)).toMatchObject({ applied: { custom_id }, ignored: ['index'] });
	});

	test('of a reroll does not read an index', async () => {
		const id = await it.client.submit(PATHS.reroll, { task_id: parent(), index: 3 });
		expect(it.sandbox.tasks.get(id)?.ignored).toEqual(['index']);
	});
});

describe('a grid task', () => {
	test.each([
		['variation', 'VARIATION'],
		['low-variation', 'LOW_VARIATION'],
		['reroll', 'REROLL'],
	] as const)('of %s ends in SUCCESS with action %s and pictures', async (operation, action) => {
		const id = await it.client.submit(PATHS[operation], { task_id: parent(), index: 2 });
		expect(await it.client.task(id)).toEqual({ id, status: 'SUBMITTED', action });
		await it.clock.advance(2_500);
		expect(await it.client.task(id)).toEqual({ id, status: 'IN_PROGRESS', action });
		await it.clock.advance(2_500);
		const task = await it.client.task(id);
		expect(task).toMatchObject({
			id,
			status: 'SUCCESS',
			action,
			grid_image_url: expect.stringMatching(/^http/) as string,
		});
		expect(task.image_urls).toHaveLength(4);
		expect(task.buttons).not.toHaveLength(0);
	});

	test('has a grid image that is made of the four pictures', async () => {
		const task = await finished('reroll', { task_id: parent() });
		const raw = (bytes: Buffer) =>
			sharp(bytes).removeAlpha().raw().toBuffer({ resolveWithObject: true });
		const grid = await download(text(task.grid_image_url));
		const pictures = await Promise.all(
			[0, 1, 2, 3].map((index) => download(text(task.image_urls?.[index]))),
		);
		const { width = 0, height = 0 } = await sharp(grid).metadata();
		const seen = new Set<string>();
		for (const [index, picture] of pictures.entries()) {
			const whole = await raw(picture);
			seen.add(whole.data.toString('base64'));
			expect([whole.info.width * 2, whole.info.height * 2]).toEqual([width, height]);
			const quarter = await sharp(grid)
				.extract({
					left: (index % 2) * (width / 2),
					top: index < 2 ? 0 : height / 2,
					width: width / 2,
					height: height / 2,
				})
				.removeAlpha()
				.raw()
				.toBuffer();
			expect(quarter.equals(whole.data)).toBe(true);
		}
		expect(seen.size).toBe(4);
	});

	test('inherits prompt and settings of its parent', async () => {
		const task_id = parent({ settings: { version: '6.1', niji: true }, prompt: 'two owls' });
		const first = await it.client.submit(PATHS.reroll, { task_id });
		await it.clock.advance(5_000);
		const second = await it.client.submit(PATHS.variation, { task_id: first, index: 1 });
		expect(it.sandbox.tasks.get(second)?.applied.inherited).toEqual({ version: '6.1', niji: true });
	});

	test('of an upscaled original has one picture and no grid', async () => {
		const task = await it.client.task(parent({ action: 'UPSCALE' }));
		expect(task.image_urls).toHaveLength(1);
		expect(task).not.toHaveProperty('grid_image_url');
	});

	test.each([
		['variation', undefined, 'gridart@variation'],
		['variation', 'relax', 'gridart@variation'],
		['variation', 'fast', 'gridart@variation-fast'],
		['low-variation', 'turbo', 'gridart@low_variation-turbo'],
		['reroll', 'fast', 'gridart@reroll-fast'],
	] as const)('of %s at speed %s is billed as %s', async (operation, speed, item) => {
		await it.client.submit(PATHS[operation], {
			task_id: parent(),
			index: 1,
			...(speed ? { speed } : {}),
		});
		expect(it.sandbox.ledger().entries).toMatchObject([{ item, credits: PRICES[item] }]);
	});
});
