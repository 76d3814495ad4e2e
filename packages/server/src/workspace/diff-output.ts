/** Parses the output of `git diff --raw --numstat -p -z`: all files, their counts, then their patches. */

import type { FileChangeView } from "@holdfast/protocol";

interface Counted {
  readonly added: number;
  readonly removed: number;
  readonly binary: boolean;
}

interface Named {
  readonly letter: string;
  readonly path: string;
  readonly oldPath: string | null;
}

/** Limits of characters per patch, lower in a diff of all files, and of files. */
export interface DiffLimits {
  readonly patch: number;
  readonly files: number;
}

/** `isCut`: the output was truncated before git finished. */
export function parseDiff(
  output: Buffer,
  {
    isCut,
    untracked,
    limits,
  }: { isCut: boolean; untracked: ReadonlySet<string>; limits: DiffLimits },
): { files: FileChangeView[]; truncated: boolean } {
  const { named, counts, patches } = takenApart(output);
  const sections = sectionsOf(patches);
  const whole = isCut ? sections.length - 1 : sections.length;
  let at = 0;
  const files = named.slice(0, limits.files).map(({ letter, path, oldPath }): FileChangeView => {
    // Git writes a type change, such as a file that became a link, as two sections: a deletion and
    // an addition.
    const next = at + (letter === "T" ? 2 : 1);
    const patch = sections.slice(at, next).join("");
    const isWhole = next <= whole && patch.length <= limits.patch;
    at = next;
    return {
      path,
      oldPath,
      kind: kindOf(letter, untracked.has(path)),
      ...(counts.get(path) ?? { added: 0, removed: 0, binary: false }),
      patch: isWhole ? patch : upToLine(patch, limits.patch),
      truncated: !isWhole,
    };
  });
  const isAll =
    !isCut && named.length <= limits.files && files.every(({ truncated }) => !truncated);
  return { files, truncated: !isAll };
}

function takenApart(output: Buffer) {
  const named: Named[] = [];
  const counts = new Map<string, Counted>();
  let at = 0;
  const next = () => {
    const end = output.indexOf(0, at);
    // The output was cut within a field, so its rest is dropped.
    const word = end < 0 ? "" : output.toString("utf8", at, end);
    at = end < 0 ? output.length : end + 1;
    return word;
  };
  // An empty field separates the counts from the patches.
  for (let word = next(); word !== ""; word = next()) {
    if (word.startsWith(":")) {
      const name = nameOf(word, next);
      if (name !== null) named.push(name);
    } else {
      const [path, counted] = countOf(word, next);
      counts.set(path, counted);
    }
  }
  return { named, counts, patches: output.toString("utf8", at) };
}

/** Parses `:100644 100644 de98044 0000000 M` and its path; a renamed file has two paths. */
function nameOf(word: string, next: () => string): Named | null {
  const letter = word.charAt(word.lastIndexOf(" ") + 1);
  const first = next();
  if (letter === "R" || letter === "C") return { letter, path: next(), oldPath: first };
  // A path in conflict is listed a second time with its current status.
  return letter === "U" ? null : { letter, path: first, oldPath: null };
}

/** Parses `1\t2\tpath`; a dash stands for binary content, and a renamed file has both paths after it. */
function countOf(word: string, next: () => string): [string, Counted] {
  const [added = "", removed = "", ...rest] = word.split("\t");
  const here = rest.join("\t");
  const from = here === "" ? next() : here;
  const path = here === "" ? next() : from;
  if (added === "-") return [path, { added: 0, removed: 0, binary: true }];
  return [path, { added: Number(added), removed: Number(removed), binary: false }];
}

/**
 * Splits patches at `diff --git`: content lines never begin with it, because each has a sign before
 * it. Only `\n` counts as a line end: `^` would also match after other separators, which any file
 * may contain.
 */
function sectionsOf(patches: string): string[] {
  const own = patches.replace(/(?<![^\n])\* Unmerged path [^\n]*\n/g, "");
  return own.split(/(?<![^\n])(?=diff --git )/).filter((section) => section !== "");
}

const kinds: Readonly<Record<string, FileChangeView["kind"]>> = {
  A: "added",
  D: "deleted",
  R: "renamed",
  C: "added",
};

function kindOf(letter: string, isUntracked: boolean): FileChangeView["kind"] {
  if (letter === "A" && isUntracked) return "untracked";
  return kinds[letter] ?? "modified";
}

/** Cuts at a line end, because half a line would read as another change. */
function upToLine(patch: string, most: number): string {
  return patch.slice(0, patch.lastIndexOf("\n", most) + 1);
}
