import type {
	ICredentialDataDecryptedObject,
	ICredentialType,
	IHttpRequestOptions,
	Icon,
	INodeProperties,
} from 'n8n-workflow';

import { isPrivateHost } from '../nodes/shared/api/address';
import { keyAsSent } from '../nodes/shared/api/redact';
import { parseWebUrl } from '../nodes/shared/util/schema';

const MESSAGES_PATH = '/v1/messages';

/** n8n sends the key along with a redirect, in either header. Each of its two request helpers has a switch of its own. */
const NO_REDIRECT = {
	disableFollowRedirect: true,
	followRedirect: false,
	followAllRedirects: false,
	maxRedirects: 0,
};

/** n8n's HTTP Request node gives the address as `uri`, its helpers as `url`. With both, either may be used. */
function addressesOf(options: IHttpRequestOptions): URL[] {
	const uri = 'uri' in options && typeof options.uri === 'string' ? options.uri : '';
	const given = [options.url ?? '', uri].filter((address) => address !== '');
	return (given.length > 0 ? given : ['']).map((address) => new URL(address, options.baseURL));
}

function originOf(baseUrl: unknown): string {
	const url = parseWebUrl(String(baseUrl).trim());
	// The nodes check the same, but any node can use the credential.
	if (!url || (url.protocol === 'http:' && !isPrivateHost(url)))
		throw new Error(
			'"Base URL" in the MediaGen credential must be a full address that begins with https://',
		);
	return url.origin;
}

export class MediaGenApi implements ICredentialType {
	name = 'mediaGenApi';

	displayName = 'MediaGen API';

	icon: Icon = { light: 'file:mediaGenApi.svg', dark: 'file:mediaGenApi.dark.svg' };

	documentationUrl =
		'https://github.com/mediagen-nodes/n8n-nodes-mediagen/blob/main/docs/credential.md';

	properties: INodeProperties[] = [
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. https://api.example.com',
			description: 'Address of the service. A /v1 at its end makes no difference.',
		},
		{
			displayName: 'API Key',
			name: 'apiKey',
			type: 'string',
			typeOptions: { password: true },
			required: true,
			default: '',
			description:
				"From the key management page of the service. It is sent to the service's own address only.",
		},
		{
			displayName: 'Allow Private Callbacks',
			name: 'allowPrivateCallbacks',
			type: 'boolean',
			default: false,
			description:
				'Whether to allow callbacks to private addresses and to any port, and downloads from private addresses. Turn it on only for a service on your own network, such as the sandbox.',
		},
		{
			displayName: 'Brand Words',
			name: 'brandWords',
			// Not `json`: n8n 1.123 shows the empty object of a new credential as an error.
			type: 'string',
			default: '',
			placeholder: 'e.g. {"gridart": "acmegrid"}',
			description:
				'Words that your deployment uses in place of musicgen, gridart, imagegen, imgfast, vidgen, vidomni and vendor, as a JSON object. Leave it empty if it uses these words.',
		},
	];

	/** Only the messages-style chat endpoint takes the key as `x-api-key` (spec, Authentication). Throws for an origin other than the base URL's. */
	authenticate = async (
		{ apiKey, baseUrl }: ICredentialDataDecryptedObject,
		requestOptions: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> => {
		const addresses = addressesOf(requestOptions);
		const origin = originOf(baseUrl);
		const other = addresses.find((address) => address.origin !== origin);
		if (other) {
			throw new Error(
				`The MediaGen API key is sent to ${origin} only, the base URL of the credential, and not to ${other.origin}`,
			);
		}
		const key = keyAsSent(typeof apiKey === 'string' ? apiKey : '');
		const header = addresses.some((address) => address.pathname.endsWith(MESSAGES_PATH))
			? { 'x-api-key': key }
			: { Authorization: `Bearer ${key}` };
		return await Promise.resolve({
			...requestOptions,
			...NO_REDIRECT,
			headers: { ...requestOptions.headers, ...header },
		});
	};
}
