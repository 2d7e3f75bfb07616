/** The words of a text: a long list that stands in a few lines. */
export const words = (text: string): string[] => text.trim().split(/\s+/);
