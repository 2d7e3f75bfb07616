// The one place that names ipaddr.js: the build bundles this file. Its tables follow the registries of reserved addresses.
export { IPv4, IPv6 } from 'ipaddr.js';
