import axios from 'axios';
import {
	attachHost,
	HOST_VERSIONS,
	type Host,
	type HostDescription,
	type HostOptions,
	type HostVersion,
	parseHostVersions,
	startHost,
	terminalProgress,
} from '../../../sandbox/host';

/** The n8n versions that this run is for: all, or those that `N8N_HOSTS` names. */
export const chosenVersions: HostVersion[] = process.env.N8N_HOSTS
	? parseHostVersions(process.env.N8N_HOSTS)
	: [...HOST_VERSIONS];

/** The n8n versions for a suite that takes minutes: all that were chosen, or, with `MEDIAGEN_ONE_EACH`, the one that is given. */
export const versionsOfLong = (one: HostVersion): HostVersion[] =>
	process.env.MEDIAGEN_ONE_EACH && chosenVersions.includes(one) ? [one] : chosenVersions;

/** Building and packing the package is part of the first start. */
const START_MS = 5 * 60_000;

/**
 * Describes a suite that runs once for each chosen n8n, on a host that all suites of the run share.
 *
 * @param define is given a function that returns the host, to be called inside tests and hooks, and the version
 */
export function describeOnHosts(
	title: string,
	define: (host: () => Host, version: HostVersion) => void,
	versions = chosenVersions,
): void {
	describe.each(versions)(`${title} on n8n %s`, (version) => {
		let host: Host;
		beforeAll(async () => {
			host = await sharedHost(version);
		}, START_MS);
		define(() => host, version);
	});
}

/** The same for a suite that takes minutes: see {@link versionsOfLong}. */
export const describeLongOnHosts = (
	title: string,
	one: HostVersion,
	define: (host: () => Host, version: HostVersion) => void,
): void => describeOnHosts(title, define, versionsOfLong(one));

type OwnHostOptions = Omit<HostOptions, 'version' | 'tarball'>;

type StartHost = (options?: OwnHostOptions) => Promise<Host>;

/**
 * Describes a suite for each chosen n8n that starts hosts of its own, because it kills them or changes their settings.
 *
 * @param define is given the version and a function that starts a host with the packed package; all of them are stopped
 * after the suite
 */
export function describeWithOwnHosts(
	title: string,
	define: (version: HostVersion, start: StartHost) => void,
	versions = chosenVersions,
): void {
	describe.each(versions)(`${title} on n8n %s`, (version) => {
		const started: Host[] = [];
		afterAll(async () => {
			await Promise.all(started.map((host) => host.stop()));
		}, 60_000);
		define(version, async (options) => {
			const host = await startHost({
				progress: terminalProgress(),
				...options,
				version,
				tarball: await packedTarball(),
			});
			started.push(host);
			return host;
		});
	});
}

/** The same for a suite that takes minutes: see {@link versionsOfLong}. */
export const describeLongWithOwnHosts = (
	title: string,
	one: HostVersion,
	define: (version: HostVersion, start: StartHost) => void,
): void => describeWithOwnHosts(title, define, versionsOfLong(one));

/** Starts a host before the tests of such a suite. */
export function useHost(start: StartHost, options: () => OwnHostOptions = () => ({})): () => Host {
	let host: Host;
	beforeAll(async () => {
		host = await start(options());
	}, START_MS);
	return () => host;
}

/** The host of this version that all suites share: it can be used for everything but ending or restarting it. */
export async function sharedHost(version: HostVersion): Promise<Host> {
	return attachHost(await ask<HostDescription>(`/hosts/${version}`));
}

/** The package as it would be published; built and packed once per run. */
export async function packedTarball(): Promise<string> {
	return (await ask<{ tarball: string }>('/tarball')).tarball;
}

async function ask<T>(path: string): Promise<T> {
	const keeper = process.env.MEDIAGEN_HOST_KEEPER;
	if (!keeper) throw new Error('Tests on real n8n are run with: npm run test:e2e');
	const response = await axios.get<T & { message?: string }>(keeper + path, {
		validateStatus: () => true,
		proxy: false,
	});
	if (response.status !== 200) throw new Error(response.data.message);
	return response.data;
}
