import { Memory } from '../../../../nodes/shared/util/memory';
import { setClock } from '../../../../nodes/shared/util/clock';
import { jumpingClock } from '../../../engine/support/clocks';

const time = jumpingClock();

beforeAll(() => setClock(time));
afterAll(() => setClock(undefined));

const held = (memory: Memory<number>) => ['a', 'b', 'c'].map((key) => memory.get(key));

test('beyond its limit the value is forgotten that was set longest ago', () => {
	const memory = new Memory<number>(2);
	memory.set('a', 1);
	memory.set('b', 2);
	memory.set('a', 3);
	memory.set('c', 4);
	expect(held(memory)).toEqual([3, undefined, 4]);
	memory.delete('a');
	expect(held(memory)).toEqual([undefined, undefined, 4]);
});

test('a value is forgotten after its time, and lasts anew when it is set again', () => {
	const memory = new Memory<number>(10, 1_000);
	memory.set('a', 1);
	memory.set('b', 2);
	time.advance(999);
	memory.set('a', 3);
	expect(held(memory)).toEqual([3, 2, undefined]);
	time.advance(1);
	expect(held(memory)).toEqual([3, undefined, undefined]);
	time.advance(999);
	expect(held(memory)).toEqual([undefined, undefined, undefined]);
});

test('a value that was set before the clock was set back keeps no later one alive', () => {
	const memory = new Memory<number>(10, 1_000);
	memory.set('a', 1);
	time.advance(-500);
	memory.set('b', 2);
	time.advance(1_000);
	expect(held(memory)).toEqual([1, undefined, undefined]);
});
