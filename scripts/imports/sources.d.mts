export function sourcesOf(name: string): [path: string, text: string][];
