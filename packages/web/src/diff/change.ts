/** A change of a file, whoever told of it: the disk by its git, or the agent by its words. */

import type { FileChangeView } from "@holdfast/protocol";
import { type FileDiff, sizeOf } from "../line/parts.ts";

/** As git writes it. */
export interface FilePatch {
  readonly path: string;
  readonly patch: string;
}

export interface Change {
  readonly path: string;
  readonly oldPath: string | null;
  /** What happened to it, in a word; null where it was only changed. */
  readonly word: string | null;
  readonly plus: number;
  readonly minus: number;
  /** Null where there are no lines to show; `note` says why. */
  readonly diff: FileDiff | FilePatch | null;
  readonly note: string | null;
  /** There is more of it than was told. */
  readonly truncated: boolean;
}

/** Agents give whole paths; what lies in the workspace is named from there on. */
export function toldChange(diff: FileDiff, root: string | null): Change {
  const isWithin = root !== null && diff.path.startsWith(`${root}/`);
  return {
    path: isWithin ? diff.path.slice(root.length + 1) : diff.path,
    ...{ oldPath: null, word: diff.before === null ? "new" : null },
    ...{ ...sizeOf(diff), diff, note: null, truncated: false },
  };
}

const words: Readonly<Record<FileChangeView["kind"], string | null>> = {
  ...{ added: "new", untracked: "new", deleted: "deleted", renamed: "moved", modified: null },
};

export function seenChange(file: FileChangeView): Change {
  const { path, oldPath, kind, added: plus, removed: minus, patch, truncated } = file;
  const diff = plus + minus > 0 ? { path, patch } : null;
  return {
    ...{ path, oldPath, plus, minus, truncated, diff },
    word: words[kind] ?? (file.binary ? "not text" : null),
    note: diff === null ? noteOf(file) : null,
  };
}

function noteOf({ binary, kind }: FileChangeView): string {
  if (binary) return "It is not text, so there are no lines to show.";
  if (kind === "renamed") return "Nothing in it changed.";
  return kind === "modified" ? "Only its mode changed." : "It is empty.";
}

/** Asked for alone, a file that moved looks like a new one: so only its patch is taken. */
export function withWhole(
  files: readonly FileChangeView[],
  whole: readonly FileChangeView[],
): readonly FileChangeView[] {
  return files.map((file) => {
    const found = file.truncated ? whole.find(({ path }) => path === file.path) : undefined;
    return found ? { ...file, patch: found.patch, truncated: found.truncated } : file;
  });
}
