import { HOST_VERSIONS, type HostVersion, parseHostVersions } from '../../../sandbox/host';

/** The n8n versions that this run is for: all, or those that `N8N_HOSTS` names. */
export const chosenVersions: HostVersion[] = process.env.N8N_HOSTS
	? parseHostVersions(process.env.N8N_HOSTS)
	: [...HOST_VERSIONS];
