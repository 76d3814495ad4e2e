/** What `git diff --raw --numstat -p -z` says, taken apart: all files, their counts, then their patches. */

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

/** So much of a patch is read by someone who looks at all of them, and by someone who asked for one. */
export interface Room {
  readonly patch: number;
  readonly files: number;
}

/** `isCut`: the output ends before git did. */
export function parseDiff(
  output: Buffer,
  { isCut, untracked, room }: { isCut: boolean; untracked: ReadonlySet<string>; room: Room },
): { files: FileChangeView[]; truncated: boolean } {
  const { named, counts, patches } = takenApart(output);
  const sections = sectionsOf(patches);
  const whole = isCut ? sections.length - 1 : sections.length;
  let at = 0;
  const files = named.slice(0, room.files).map(({ letter, path, oldPath }): FileChangeView => {
    // A file that became a link is written as one that went and one that came.
    const next = at + (letter === "T" ? 2 : 1);
    const patch = sections.slice(at, next).join("");
    const isWhole = next <= whole && patch.length <= room.patch;
    at = next;
    return {
      ...{ path, oldPath, kind: kindOf(letter, untracked.has(path)) },
      ...(counts.get(path) ?? { added: 0, removed: 0, binary: false }),
      ...{ patch: isWhole ? patch : upToLine(patch, room.patch), truncated: !isWhole },
    };
  });
  const isAll = !isCut && named.length <= room.files && files.every(({ truncated }) => !truncated);
  return { files, truncated: !isAll };
}

function takenApart(output: Buffer) {
  const named: Named[] = [];
  const counts = new Map<string, Counted>();
  let at = 0;
  const next = () => {
    const end = output.indexOf(0, at);
    // Cut off within a word: what is left of it is no word.
    const word = end < 0 ? "" : output.toString("utf8", at, end);
    at = end < 0 ? output.length : end + 1;
    return word;
  };
  // An empty word stands between what is counted and the patches.
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

/** `:100644 100644 de98044 0000000 M`, and its path; of a file that moved, both. */
function nameOf(word: string, next: () => string): Named | null {
  const letter = word.charAt(word.lastIndexOf(" ") + 1);
  const first = next();
  if (letter === "R" || letter === "C") return { letter, path: next(), oldPath: first };
  // A path in conflict is named once more, with how it stands now.
  return letter === "U" ? null : { letter, path: first, oldPath: null };
}

/** `1\t2\tpath`, where a dash is for what has no lines; of a file that moved both paths follow. */
function countOf(word: string, next: () => string): [string, Counted] {
  const [added = "", removed = "", ...rest] = word.split("\t");
  const here = rest.join("\t");
  const from = here === "" ? next() : here;
  const path = here === "" ? next() : from;
  if (added === "-") return [path, { added: 0, removed: 0, binary: true }];
  return [path, { added: Number(added), removed: Number(removed), binary: false }];
}

/**
 * No line of a patch's content begins like this: each has its sign before it. Only git's own line end
 * counts: `^` would begin a line after other letters, too, which anyone can put into a file.
 */
function sectionsOf(patches: string): string[] {
  const own = patches.replace(/(?<![^\n])\* Unmerged path [^\n]*\n/g, "");
  return own.split(/(?<![^\n])(?=diff --git )/).filter((section) => section !== "");
}

const kinds: Readonly<Record<string, FileChangeView["kind"]>> = {
  ...{ A: "added", D: "deleted", R: "renamed", C: "added" },
};

function kindOf(letter: string, isUntracked: boolean): FileChangeView["kind"] {
  if (letter === "A" && isUntracked) return "untracked";
  return kinds[letter] ?? "modified";
}

/** Never half a line: it would read as another change. */
function upToLine(patch: string, most: number): string {
  return patch.slice(0, patch.lastIndexOf("\n", most) + 1);
}
