import type { NodePanel } from '../support/nodePanel';
import { readUntil } from '../support/poll';
import type { Look, Step, Walk } from './walk';

const isSwitch = (to: string) => to === 'on' || to === 'off';

async function take(panel: NodePanel, { name, to }: Step): Promise<void> {
	if (isSwitch(to)) await panel.toggle(name);
	else await panel.choose(name, to);
}

/** The labels once the panel shows what was chosen; what it shows then, where they stay others. */
async function labelsAfter(panel: NodePanel, { name, to, look }: Step): Promise<string[]> {
	const read = async () => ({ to: isSwitch(to) ? to : await panel.chosen(name), labels: await panel.labels() });
	return (await readUntil(read, { to, labels: look.labels })).labels;
}

/** What differs, in words; nothing where the two are the same. */
function difference(what: string, { at }: Look, found: string[], expected: string[]): string[] {
	if (String(found) === String(expected)) return [];
	const where = Object.entries(at).map(([label, choice]) => `${label}: ${choice}`).join(', ');
	return [`${what} at "${where}": [${found.join(', ')}] instead of [${expected.join(', ')}]`];
}

/** Looks at what the collections offer, where that has changed since they were last looked at. */
async function checkOffers(panel: NodePanel, look: Look, before: Look['offers']): Promise<string[]> {
	const wrong: string[] = [];
	for (const [collection, expected] of Object.entries(look.offers)) {
		if (String(expected) === String(before[collection])) continue;
		const found = await readUntil(async () => panel.addables(collection), expected, 1_000);
		wrong.push(...difference(`"${collection}" offers`, look, found, expected));
	}
	return wrong;
}

/**
 * Goes the planned way through an open panel.
 *
 * @returns what was not as planned, in words
 */
export async function follow(panel: NodePanel, { start, steps }: Walk): Promise<string[]> {
	const wrong = difference('Fields', start, await readUntil(() => panel.labels(), start.labels), start.labels);
	wrong.push(...(await checkOffers(panel, start, {})));
	let before = start;
	for (const step of steps) {
		await take(panel, step);
		wrong.push(...difference('Fields', step.look, await labelsAfter(panel, step), step.look.labels));
		wrong.push(...(await checkOffers(panel, step.look, before.offers)));
		before = step.look;
	}
	return wrong;
}
