import { DEFAULT_STEM_TYPE } from '../../shared/api/music';
import { toTitle } from '../../shared/util/names';
import { openIfSet, track } from '../fields';
import { musicOperation } from '../request';

const stemType = openIfSet({
	displayName: 'Stem Type',
	description:
		'The stem to separate. The service knows more than a hundred; enter the name of any other as an ID. One purchase makes one stem. For several stems, give an item for each, for example with Split Out (Include: All Other Fields) before this node, and enter its field here as an expression.',
	placeholder: 'e.g. acoustic_guitar',
	searchListMethod: 'searchStemTypes',
	preset: { name: toTitle(DEFAULT_STEM_TYPE), value: DEFAULT_STEM_TYPE },
});

/** One stem separated from a song (spec §2, stems). */
export const stems = musicOperation({
	name: 'Separate Stems',
	value: 'stems',
	action: 'Separate a stem from a song',
	description: 'Take one stem, such as the lead vocal or the drums, out of a song',
	fields: { ...track(), stem_type: stemType },
});
