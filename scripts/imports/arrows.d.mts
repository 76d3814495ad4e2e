export type Arrows = ReadonlyMap<string, ReadonlySet<string>>;

export function folderArrows(
  files: Iterable<readonly [path: string, text: string]>,
  depth?: number,
): Arrows;

export function cycles(arrows: Arrows): string[];
