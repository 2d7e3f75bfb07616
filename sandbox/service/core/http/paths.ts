/** The sandbox's own paths stand under this one, apart from those of the service. */
export const ADMIN_PREFIX = '/_sandbox';

export function isAdminPath(path: string): boolean {
	return path === ADMIN_PREFIX || path.startsWith(`${ADMIN_PREFIX}/`);
}
