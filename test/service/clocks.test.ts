import { manualClock, scaledClock, systemClock } from '../../sandbox/service';

describe('the manual clock', () => {
	it('stands still until it is moved', async () => {
		const clock = manualClock(5_000);
		expect(clock.now()).toBe(5_000);
		await clock.advance(250);
		expect(clock.now()).toBe(5_250);
	});

	it('wakes sleepers in the order in which they are due, each at its own time', async () => {
		const clock = manualClock(0);
		const woken: string[] = [];
		const sleeper = async (name: string, ms: number) => {
			await clock.sleep(ms);
			woken.push(`${name} at ${clock.now()}`);
		};
		void sleeper('late', 300);
		void sleeper('early', 100);
		void (async () => {
			await sleeper('first of two', 150);
			await sleeper('second of two', 100);
		})();
		await clock.advance(300);
		const two = ['first of two at 150', 'second of two at 250'];
		expect(woken).toEqual(['early at 100', ...two, 'late at 300']);
	});
});

describe('a scaled clock', () => {
	it('makes a minute pass in a moment', async () => {
		const clock = scaledClock(60_000);
		const start = clock.now();
		await clock.sleep(60_000);
		expect(clock.now() - start).toBeGreaterThanOrEqual(60_000);
	});

	it('begins at the time of the machine', () => {
		expect(Math.abs(scaledClock(1000).now() - Date.now())).toBeLessThan(60_000);
	});

	it.each([0, -1, NaN, Infinity])('cannot have the scale %d', (factor) => {
		expect(() => scaledClock(factor)).toThrow(/scale/);
	});
});

it.each([
	['the manual clock', manualClock()],
	['the clock of the machine', systemClock],
])('%s lets a sleep be stopped, before and during', async (_, clock) => {
	const stop = new AbortController();
	const sleeping = clock.sleep(3_600_000, stop.signal);
	stop.abort(new Error('enough'));
	await expect(sleeping).rejects.toThrow('enough');
	await expect(clock.sleep(3_600_000, stop.signal)).rejects.toThrow('enough');
});
