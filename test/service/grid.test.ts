import sharp from 'sharp';
import { PRICES, type OriginalGridOptions } from '../../sandbox/service';
import { IMAGES, OFFICIAL } from './support/images';
import { bench, download, refusalOf, text, type Bench, type Json } from './support/sandbox';

const PATHS = {
	variation: '/v1/gridart/generations/variation',
	'low-variation': '/v1/gridart/generations/low-variation',
	reroll: '/v1/gridart/generations/reroll',
} as const;
type Operation = keyof typeof PATHS;
const ALL = Object.keys(PATHS) as Operation[];

const parent = ({ sandbox }: Bench, options: OriginalGridOptions = {}) =>
	sandbox.originals.grid(options).id;

async function refusal(it: Bench, operation: Operation, body: object) {
	const before = it.sandbox.ledger();
	const answer = await it.client.post(PATHS[operation], body);
	expect(it.sandbox.ledger()).toEqual(before);
	return refusalOf(answer);
}

async function finished(it: Bench, operation: Operation, body: object): Promise<Json> {
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
	it.each(['variation', 'low-variation'] as const)(
		'%s with an index outside 1 to 4, or none, and no custom_id',
		async (operation) => {
			const it = await bench();
			const task_id = parent(it);
			for (const index of [undefined, 0, 5, 1.5, '1', null]) {
				const refused = await refusal(it, operation, { task_id, index });
				expect([index, ...refused]).toEqual([index, 400, 400, INVALID]);
			}
		},
	);

	it.each(CODES)('%s without task_id: code %i', async (operation, code) => {
		const it = await bench();
		expect(await refusal(it, operation, { index: 1 })).toEqual([400, code, INVALID]);
	});

	it.each(CODES)('%s of a parent that is not in SUCCESS: code %i', async (operation, code) => {
		const it = await bench();
		for (const state of ['running', 'failed'] as const) {
			const refused = await refusal(it, operation, { task_id: parent(it, { state }), index: 1 });
			expect(refused).toEqual([400, code, INVALID]);
		}
		const first = await it.client.submit(PATHS.reroll, { task_id: parent(it) });
		const running = await refusal(it, operation, { task_id: first, index: 1 });
		expect(running).toEqual([400, code, INVALID]);
		await it.clock.advance(5_000);
		expect((await it.client.post(PATHS[operation], { task_id: first, index: 1 })).status).toBe(200);
	});

	it.each(CODES)('%s of an unknown task', async (operation, _invalid, code) => {
		const it = await bench();
		const picture = await it.client.submit(IMAGES, OFFICIAL);
		const foreign = parent(it, { key: 'sandbox-key-unlimited' });
		for (const task_id of ['task_unknown', picture, foreign]) {
			const refused = await refusal(it, operation, { task_id, index: 1 });
			expect(refused).toEqual([404, code, 'not_found_error']);
		}
	});

	it('reroll that the service refuses: 502 with code 9', async () => {
		const it = await bench();
		const task_id = parent(it, { prompt: 'sandbox:refuse' });
		expect(await refusal(it, 'reroll', { task_id })).toEqual([502, 9, 'bad_gateway']);
		it.sandbox.faults.add({
			match: { path: PATHS.reroll },
			effect: { type: 'status', status: 502, code: 9 },
		});
		expect(await refusal(it, 'reroll', { task_id: parent(it) })).toEqual([502, 9, 'bad_gateway']);
	});

	it('reroll of what is no imagine or reroll grid', async () => {
		const it = await bench();
		const variation = text((await finished(it, 'variation', { task_id: parent(it), index: 1 })).id);
		const low = text((await finished(it, 'low-variation', { task_id: parent(it), index: 1 })).id);
		const singles = [parent(it, { action: 'UPSCALE' }), parent(it, { action: 'PAN' })];
		for (const task_id of [variation, low, ...singles]) {
			expect(await refusal(it, 'reroll', { task_id })).toEqual([400, 4, INVALID]);
		}
		const again = text((await finished(it, 'reroll', { task_id: parent(it) })).id);
		expect((await it.client.post(PATHS.reroll, { task_id: again })).status).toBe(200);
	});

	it.each(ALL)('%s with a custom_id that the parent does not have', async (operation) => {
		const it = await bench();
		const body = { task_id: parent(it), custom_id: 'GRIDART::JOB::none::1::x' };
		expect((await refusal(it, operation, body))[0]).toBe(400);
	});

	it.each(ALL)('%s with a speed that is no text, or other metadata', async (operation) => {
		const it = await bench();
		const task_id = parent(it);
		expect((await refusal(it, operation, { task_id, index: 1, speed: 1 }))[0]).toBe(400);
		expect((await refusal(it, operation, { task_id, index: 1, metadata: 'x' }))[0]).toBe(400);
	});
});

describe('the button of an operation', () => {
	const ids = (it: Bench, task: string) =>
		it.client.task(task).then(({ buttons }) => Object.values(buttons ?? {}));
	const buttonFor = async (it: Bench, operation: Operation, body: object) =>
		it.sandbox.tasks.get(await it.client.submit(PATHS[operation], body))?.applied.custom_id;

	it('is Vary (Subtle) of the picture with that index', async () => {
		const it = await bench();
		const task_id = parent(it);
		const buttons = await ids(it, task_id);
		for (const operation of ['variation', 'low-variation'] as const) {
			for (const index of [1, 2, 3, 4]) {
				const expected = buttons.find(
					(button) => button?.label === (`Vary (Subtle) V${index}` as unknown),
				)?.custom_id;
				expect(expected).toBeDefined();
				expect(await buttonFor(it, operation, { task_id, index })).toBe(expected);
			}
		}
	});

	it('is Vary (Subtle) of an upscaled picture, else Make Variations, and that for low-variation only', async () => {
		const it = await bench();
		const newer = parent(it, { action: 'UPSCALE' });
		const older = parent(it, { action: 'UPSCALE', olderButtons: true });
		const low = (task_id: string) => buttonFor(it, 'low-variation', { task_id, index: 1 });
		expect(await low(newer)).toMatch(/::low_variation::/);
		expect(await low(older)).toMatch(/::variation::/);
		expect((await refusal(it, 'variation', { task_id: older, index: 1 }))[0]).toBe(400);
	});

	it('of a reroll has ::reroll:: in its id, or the emoji', async () => {
		const it = await bench();
		expect(await buttonFor(it, 'reroll', { task_id: parent(it) })).toMatch(/::reroll::/);
		const byEmoji = parent(it, {
			buttons: [
				{ custom_id: 'other', label: 'U1' },
				{ custom_id: 'again', label: '', emoji: '🔄' },
			],
		});
		expect(await buttonFor(it, 'reroll', { task_id: byEmoji })).toBe('again');
	});

	it('is the one of custom_id, for every index', async () => {
		const it = await bench();
		const task_id = parent(it);
		const [first] = await ids(it, task_id);
		const custom_id = text(first?.custom_id);
		const id = await it.client.submit(PATHS.variation, { task_id, custom_id, index: 99 });
		expect(it.sandbox.tasks.get(id)).toMatchObject({ applied: { custom_id }, ignored: ['index'] });
	});

	it('of a reroll does not read an index', async () => {
		const it = await bench();
		const id = await it.client.submit(PATHS.reroll, { task_id: parent(it), index: 3 });
		expect(it.sandbox.tasks.get(id)?.ignored).toEqual(['index']);
	});
});

describe('a grid task', () => {
	it.each([
		['variation', 'VARIATION'],
		['low-variation', 'LOW_VARIATION'],
		['reroll', 'REROLL'],
	] as const)('of %s ends in SUCCESS with action %s and pictures', async (operation, action) => {
		const it = await bench();
		const id = await it.client.submit(PATHS[operation], { task_id: parent(it), index: 2 });
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

	it('has a grid image that is made of the four pictures', async () => {
		const it = await bench();
		const task = await finished(it, 'reroll', { task_id: parent(it) });
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

	it('inherits prompt and settings of its parent', async () => {
		const it = await bench();
		const task_id = parent(it, { settings: { version: '6.1', niji: true }, prompt: 'two owls' });
		const first = await it.client.submit(PATHS.reroll, { task_id });
		await it.clock.advance(5_000);
		const second = await it.client.submit(PATHS.variation, { task_id: first, index: 1 });
		expect(it.sandbox.tasks.get(second)?.applied.inherited).toEqual({ version: '6.1', niji: true });
	});

	it('fails with its reason and is refunded', async () => {
		const it = await bench();
		it.sandbox.faults.add({
			match: { family: 'grid' },
			effect: { type: 'failTask', message: 'blurred' },
		});
		const task = await finished(it, 'reroll', { task_id: parent(it) });
		expect(task).toMatchObject({ status: 'FAILURE', error: { message: 'blurred' } });
		expect(it.sandbox.ledger().netCredits).toBe(0);
	});

	it('of an upscaled original has one picture and no grid', async () => {
		const it = await bench();
		const task = await it.client.task(parent(it, { action: 'UPSCALE' }));
		expect(task.image_urls).toHaveLength(1);
		expect(task).not.toHaveProperty('grid_image_url');
	});

	it.each([
		['variation', undefined, 'gridart@variation'],
		['variation', 'relax', 'gridart@variation'],
		['variation', 'fast', 'gridart@variation-fast'],
		['low-variation', 'turbo', 'gridart@low_variation-turbo'],
		['reroll', 'fast', 'gridart@reroll-fast'],
	] as const)('of %s at speed %s is billed as %s', async (operation, speed, item) => {
		const it = await bench();
		await it.client.submit(PATHS[operation], {
			task_id: parent(it),
			index: 1,
			...(speed ? { speed } : {}),
		});
		expect(it.sandbox.ledger().entries).toMatchObject([{ item, credits: PRICES[item] }]);
	});
});
