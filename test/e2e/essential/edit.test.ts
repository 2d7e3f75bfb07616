import sharp from 'sharp';

import { createSandbox, type Sandbox } from '../../../sandbox/service';
import { describeOnHosts } from '../support/hosts';
import { mediaGenApi, startByHand, workflow } from '../support/nodes';
import { credentialFor } from '../support/workflows';

const CREDENTIAL = 'For editing';

const WIDTH = 96;
const HEIGHT = 64;

/** A picture as base64: the photo, or a mask with an alpha channel of the same size. */
async function png(alpha: number): Promise<string> {
	const background = { r: 40, g: 90, b: 140, alpha };
	const image = sharp({ create: { width: WIDTH, height: HEIGHT, channels: 4, background } });
	return (await image.png().toBuffer()).toString('base64');
}

const source = (photo: string, mask: string) => ({
	name: 'Photo and Mask',
	type: 'n8n-nodes-base.code',
	typeVersion: 2,
	parameters: {
		jsCode: `const file = (content, name) => ({ data: content, mimeType: 'image/png', fileName: name });
return [{ json: { wish: 'Put a lighthouse on the cliff' }, binary: { photo: file('${photo}', 'photo.png'), mask: file('${mask}', 'mask.png') } }];`,
	},
});

describeOnHosts('Image › Edit', (host) => {
	let sandbox: Sandbox;
	beforeAll(async () => {
		sandbox = await createSandbox({ allowPrivateCallbacks: true, durations: { image: 500 } });
		await host().createCredential(credentialFor(sandbox, CREDENTIAL));
	});
	afterAll(async () => await sandbox.close());

	test('an item with a photo and a mask → an edited photo: one task', async () => {
		const edit = {
			name: 'Edit',
			type: 'n8n-nodes-mediagen.mediaGenImage',
			parameters: {
				resource: 'image',
				operation: 'edit',
				imageSource: 'binary',
				imageBinaryProperty: 'photo',
				maskSource: 'binary',
				maskBinaryProperty: 'mask',
				prompt: '={{ $json.wish }}',
			},
			credentials: mediaGenApi(CREDENTIAL),
		};
		const nodes = [startByHand, source(await png(1), await png(0)), edit];
		const { id } = await host().importWorkflow(
			workflow('Edit a photo', nodes, { Go: 'Photo and Mask', 'Photo and Mask': 'Edit' }),
		);
		const execution = await host().run(id, { timeout: 60_000 });
		expect(execution.error).toBeUndefined();
		expect(sandbox.ledger().accepted).toBe(1);
		expect(execution.json('Edit')).toMatchObject([{ operation: 'edit', status: 'completed' }]);
		const pictures = await Promise.all(
			execution.files('Edit').map(async (file) => (await host().binary(file)).data),
		);
		expect(
			await Promise.all(pictures.map(async (data) => (await sharp(data).metadata()).format)),
		).toEqual(['png']);
	}, 90_000);
});
