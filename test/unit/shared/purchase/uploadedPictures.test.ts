import type { IDataObject } from 'n8n-workflow';

import { findUpload, markUploaded } from '../../../../nodes/shared/purchase/uploadedPictures';
import { setClock } from '../../../../nodes/shared/util/clock';
import { jumpingClock } from '../../../engine/support/clocks';

const HOUR_MS = 3_600_000;

/** What n8n keeps with the execution. It survives as JSON only. */
let kept: IDataObject;

/** Another attempt of the same execution. */
const execution = () => {
	kept = structuredClone(kept);
	return { getContext: () => kept };
};

const find = (fingerprint: string) => findUpload(execution(), fingerprint);

const upload = (...fingerprints: string[]) => {
	const attempt = execution();
	for (const fingerprint of fingerprints)
		markUploaded(attempt, fingerprint, `https://example.com/${fingerprint}`);
};

describe('An upload', () => {
	const time = jumpingClock();

	beforeEach(() => {
		setClock(time);
		kept = {};
		upload('picture');
	});

	afterEach(() => setClock(undefined));

	test('is made again before its link ends after 72 hours', () => {
		time.advance(70 * HOUR_MS - 1);
		expect(find('picture')).toBeDefined();
		time.advance(1);
		expect(find('picture')).toBeUndefined();
	});

	test('the oldest make room where an execution has more than 1,000', () => {
		upload(...Array.from({ length: 1_000 }, (_, at) => `picture ${at}`));
		const found = ['picture', 'picture 0', 'picture 999'].map((name) => find(name) !== undefined);
		expect(found).toEqual([false, true, true]);
	});

	test('that another version of this package saved is read, and damaged data count as none', () => {
		const saved = { url: 'https://example.com/picture', reuseUntil: Number.MAX_SAFE_INTEGER };
		kept = { mediaGenUploads: { picture: saved } };
		expect(find('picture')).toBe('https://example.com/picture');
		kept = { mediaGenUploads: [] };
		expect(find('picture')).toBeUndefined();
	});
});
