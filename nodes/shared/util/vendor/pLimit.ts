// The one place that names p-limit: the build bundles this file. Hosts differ in the version they carry.
export { default as pLimit } from 'p-limit';
