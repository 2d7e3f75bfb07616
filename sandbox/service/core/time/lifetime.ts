import { setMaxListeners } from 'node:events';
import type { Clock } from './clocks';

/** The error of everything that waits when the sandbox is reset or closed. */
export class LifetimeEnded extends Error {}

/** The time between two resets. Background work ends with it. */
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

	/** Runs work in the background; it is stopped without an error at the end of this lifetime. */
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
	// Every running task listens, so thousands of listeners are expected.
	setMaxListeners(0, controller.signal);
	return controller;
}
