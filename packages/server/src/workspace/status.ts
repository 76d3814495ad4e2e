/** A workspace's status in one round trip: the required command (R000-42), run safely. */

import type { WorkspaceStatusView } from "@holdfast/protocol";
import { type Look, withGit } from "./git.ts";
import { unreadableRepository } from "./repository.ts";
import { parseTruth, truthCommand, type WorkspaceTruth } from "./workspace-truth.ts";

const LIMITS = { ms: 5_000, bytes: 1024 * 1024 };

/** Ignores submodules, whose configuration git would obey; `--short` gives relative paths. */
const withinBounds = `git() {
  word=$1; shift
  case $word in
    rev-parse) command git "$word" "$@" ;;
    status) command git status "$@" --short --ignore-submodules=all -- . ;;
    *) command git "$word" "$@" --relative --ignore-submodules=all -- . ;;
  esac
}`;

const empty: WorkspaceTruth = { head: null, dirty: [], diffStat: "" };

/** Null without a repository. */
export async function readStatus(look: Look): Promise<WorkspaceStatusView | null> {
  return withGit(look, async ({ repository: { branch, head }, run }) => {
    const command = `${withinBounds}\n${truthCommand}`;
    const { stdout, code, isCut } = await run(["/bin/sh", "-c", command], LIMITS);
    // Half a line would name another file.
    const said = stdout.toString("utf8", 0, isCut ? stdout.lastIndexOf("\n") + 1 : undefined);
    const truth = parseTruth(said, code) ?? (head === null ? empty : null);
    if (truth === null) throw unreadableRepository("git finds it damaged");
    // Git prints HEAD after all files: a missing HEAD means that the list of files was cut.
    const isListCut = isCut && truth.head === null;
    const dirty = [...truth.dirty, ...(isListCut ? ["and others that were not counted"] : [])];
    return { repository: true, branch, head, dirty, diffStat: truth.diffStat };
  });
}
