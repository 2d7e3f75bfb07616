import ipaddr from 'ipaddr.js';
import type { Settings } from '../options';

/** Ranges that no public receiver can have (spec, Events, rule 6: "local and private addresses"). */
const PRIVATE_RANGES: readonly string[] = [
	'unspecified',
	'loopback',
	'private',
	'carrierGradeNat',
	'linkLocal',
	'uniqueLocal',
];

const PRIVATE_NAME = /(^|\.)(localhost|local|internal|lan|home\.arpa)$/;

/**
 * The target of a callback: `/callback` appended to the base address, without doubling its slash (spec, Events, rule 2).
 * @param query `text` appends to the whole address, behind its query; `path` to the path, before the query
 */
export function callbackUrl(base: string, query: Settings['webhookQuery'] = 'text'): string {
	const end = query === 'path' ? base.search(/[?#]|$/) : base.length;
	const address = base.slice(0, end);
	return `${address}${address.endsWith('/') ? '' : '/'}callback${base.slice(end)}`;
}

export interface AddressRules {
	/** Lifts the rules on host and port, for receivers on a private network. */
	allowPrivate: boolean;
	/** Host names of the service itself. */
	ownHosts: readonly string[];
	/** `host:port` that the service listens on. */
	ownAddress: string;
}

/**
 * Why a callback address must not be used (spec, Events, rule 6), or `null` when it may be.
 * @param base the `webhook` field as it came
 */
export function addressProblem(base: string, rules: AddressRules): string | null {
	if (!URL.canParse(base)) return 'not a URL';
	const url = new URL(base);
	const host = url.hostname
		.toLowerCase()
		.replace(/^\[|\]$/g, '')
		.replace(/\.$/, '');
	if (url.protocol !== 'http:' && url.protocol !== 'https:')
		return `scheme ${url.protocol.slice(0, -1)} is not http or https`;
	if (rules.ownHosts.includes(host) || url.host === rules.ownAddress)
		return "the host is the service's own";
	if (rules.allowPrivate) return null;
	if (isPrivate(host)) return `${host} is a local or private address`;
	// The URL parser leaves a scheme's standard port out.
	if (url.port !== '' && url.port !== '80' && url.port !== '443')
		return `port ${url.port} is neither 80 nor 443`;
	return null;
}

function isPrivate(host: string): boolean {
	if (ipaddr.isValid(host)) return PRIVATE_RANGES.includes(ipaddr.process(host).range());
	return PRIVATE_NAME.test(host) || !host.includes('.');
}
