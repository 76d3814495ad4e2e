/** A file's change, from either source: git in the workspace, or the agent's report. */

import type { FileChangeView } from "@holdfast/protocol";
import { sizeOf, type ToldDiff } from "../line/parts.ts";

export interface FilePatch {
  readonly path: string;
  readonly patch: string;
}

export interface Change {
  readonly path: string;
  readonly oldPath: string | null;
  /** The kind of change in a word; null for a plain edit. */
  readonly word: string | null;
  readonly plus: number;
  readonly minus: number;
  /** Empty when there are no lines to show; `note` says why. Several diffs are successive edits. */
  readonly diffs: readonly (ToldDiff | FilePatch)[];
  readonly note: string | null;
  readonly truncated: boolean;
}

/** A change that the agent reported; paths in the workspace are shown relative to it. */
export function toldChange(diffs: readonly ToldDiff[], root: string | null): Change {
  const path = diffs[0]?.path ?? "";
  const isWithin = root !== null && path.startsWith(`${root}/`);
  const sizes = diffs.map(sizeOf);
  return {
    path: isWithin ? path.slice(root.length + 1) : path,
    oldPath: null,
    word: diffs[0] !== undefined && isNewFile(diffs[0]) ? "new" : null,
    plus: sizes.reduce((sum, { plus }) => sum + plus, 0),
    minus: sizes.reduce((sum, { minus }) => sum + minus, 0),
    diffs,
    note: null,
    truncated: false,
  };
}

export function isNewFile(diff: ToldDiff | FilePatch): boolean {
  return "before" in diff ? diff.before === null : "isNew" in diff && diff.isNew;
}

const words: Readonly<Record<FileChangeView["kind"], string | null>> = {
  added: "new",
  untracked: "new",
  deleted: "deleted",
  renamed: "moved",
  modified: null,
};

export function seenChange(file: FileChangeView): Change {
  const { path, oldPath, kind, added: plus, removed: minus, patch, truncated } = file;
  const diffs = plus + minus > 0 ? [{ path, patch }] : [];
  return {
    path,
    oldPath,
    plus,
    minus,
    truncated,
    diffs,
    word: words[kind] ?? (file.binary ? "not text" : null),
    note: diffs.length === 0 ? noteOf(file) : null,
  };
}

function noteOf({ binary, kind }: FileChangeView): string {
  if (binary) return "This file is not text, so no lines are shown.";
  if (kind === "renamed") return "The content is unchanged.";
  return kind === "modified" ? "Only the file mode changed." : "The file is empty.";
}

/** Only the patch is used: a moved file that is requested alone looks new. */
export function withWhole(
  files: readonly FileChangeView[],
  whole: readonly FileChangeView[],
): readonly FileChangeView[] {
  return files.map((file) => {
    const found = file.truncated ? whole.find(({ path }) => path === file.path) : undefined;
    return found ? { ...file, patch: found.patch, truncated: found.truncated } : file;
  });
}
