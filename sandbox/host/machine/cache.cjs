// Plain JavaScript, and nothing but Node.js itself: npm start looks into the cache before anything is installed.
const { homedir } = require('node:os');
const { join, resolve } = require('node:path');

function cacheFolder() {
	const { MEDIAGEN_CACHE, XDG_CACHE_HOME } = process.env;
	return resolve(
		MEDIAGEN_CACHE || join(XDG_CACHE_HOME || join(homedir(), '.cache'), 'n8n-nodes-mediagen'),
	);
}

/** A file in the folder of an install that is whole. */
const STAMP = 'complete.json';

module.exports = { STAMP, cacheFolder };
