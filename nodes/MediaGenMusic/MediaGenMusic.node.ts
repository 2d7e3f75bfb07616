import type { INodeType } from 'n8n-workflow';

import * as spec from '../shared/api/music';
import { asTool, type NodeDescription, related, taskHint } from '../shared/n8n/builderHint';
import { describeNode, pausing, subtitleOf } from '../shared/n8n/describe';
import { listed, searchListed } from '../shared/n8n/fields';
import { executeOf } from '../shared/n8n/failedItems';
import { taskResource } from '../shared/tasks/operations';
import { webhookOf } from '../shared/tasks/resume';
import { toTitle } from '../shared/util/names';
import { addInstrumental } from './operations/addInstrumental';
import { addStem } from './operations/addStem';
import { addVocals } from './operations/addVocals';
import { coverSong } from './operations/coverSong';
import { crop } from './operations/crop';
import { extend } from './operations/extend';
import { fadeIn } from './operations/fadeIn';
import { sample } from './operations/sample';
import { sounds } from './operations/sounds';
import { stems } from './operations/stems';
import { upsampleTags } from './operations/upsampleTags';

const operations = [
	coverSong,
	sample,
	extend,
	addInstrumental,
	addVocals,
	addStem,
	crop,
	stems,
	fadeIn,
	sounds,
	upsampleTags,
	...taskResource('music'),
];

export class MediaGenMusic implements INodeType {
	description: NodeDescription = {
		...describeNode('MediaGen Music', operations),
		name: 'mediaGenMusic',
		icon: { light: 'file:mediaGenMusic.svg', dark: 'file:mediaGenMusic.dark.svg' },
		subtitle: subtitleOf(operations),
		description:
			'Make AI music: cover, extend, and crop songs, separate stems, and generate sound effects',
		usableAsTool: asTool(
			'Makes, covers, extends or takes apart songs and returns their links. Every call costs money.',
		),
		builderHint: taskHint(
			'A new song is resource task, operation submit. All others work on a song, whose taskId they read from the incoming item.',
			related('mediaGenMusicTool', 'The same as a tool of an AI Agent'),
		),
		...pausing,
	};

	methods = {
		listSearch: {
			searchInstrumentalVersions: searchListed(listed(spec.INSTRUMENTAL_VERSIONS)),
			searchKeys: searchListed(listed(spec.MUSICAL_KEYS)),
			searchModels: searchListed([{ name: 'MusicGen', value: 'musicgen' }]),
			searchStemTypes: searchListed(
				spec.STEM_TYPES.map((value) => ({ name: toTitle(value), value })),
			),
			searchVersions: searchListed(listed(spec.MUSIC_VERSIONS)),
		},
	};

	webhook = webhookOf('music');

	execute = executeOf(operations);
}
