import type { INodeType } from 'n8n-workflow';

import { asTool, type NodeDescription, related } from '../shared/n8n/builderHint';
import { describeNode, subtitleOf } from '../shared/n8n/describe';
import { executeOf } from '../shared/n8n/failedItems';
import { upload } from './operations/upload';

const operations = [upload];

export class MediaGenUpload implements INodeType {
	description: NodeDescription = {
		...describeNode('MediaGen Upload', operations),
		name: 'mediaGenUpload',
		icon: { light: 'file:mediaGenUpload.svg', dark: 'file:mediaGenUpload.dark.svg' },
		subtitle: subtitleOf(operations),
		description: 'Host an image for 72 hours and get a public URL for it',
		usableAsTool: asTool(
			'Stores a picture from a URL for 72 hours and returns a public URL for it.',
		),
		builderHint: {
			searchHint:
				'Only for a public URL of a picture that is needed elsewhere: MediaGen Image and MediaGen Video upload pictures of the input by themselves.',
			relatedNodes: [related('mediaGenImage', 'Takes pictures of the input without an upload')],
		},
	};

	execute = executeOf(operations);
}
