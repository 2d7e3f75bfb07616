import { setMaxListeners } from 'node:events';
import type { Clock } from './clock';

/** Raised in whatever was waiting when the sandbox was reset or closed. */
export class LifetimeEnded extends Error {}

/** The time between two resets. All that runs in the background ends with it. */
export class Lifetime {
	private controller = newController();

	constructor(private readonly clock: Clock) {}

	get signal(): AbortSignal {
		return this.controller.signal;
	}

	/** @throws LifetimeEnded when the sandbox is reset or closed meanwhile */
	sleep(ms: number): Promise<void> {
		return this.clock.sleep(ms, this.signal);
	}

	/** Runs something that nobody waits for; it ends in silence when this lifetime does. */
	background(work: () => Promise<void>): void {
		work().catch((error: unknown) => {
			if (!(error instanceof LifetimeEnded)) throw error;
		});
	}

	end(): void {
		this.controller.abort(new LifetimeEnded('The sandbox was reset or closed.'));
		this.controller = newController();
	}
}

function newController(): AbortController {
	const controller = new AbortController();
	// Every running task listens: thousands of listeners are no leak here.
	setMaxListeners(0, controller.signal);
	return controller;
}
