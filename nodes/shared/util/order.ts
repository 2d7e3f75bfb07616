/** The order of two names of Latin letters. A language's own order is slow to load, and panels are sorted when n8n starts. */
export const compareNames = (a: string, b: string) => (a < b ? -1 : 1);
