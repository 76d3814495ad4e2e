/** A workspace in one round trip: the requirement's command (R000-42), run where it can do no harm. */

import type { WorkspaceStatusView } from "@holdfast/protocol";
import {
  parseTruth,
  truthCommand,
  type WorkspaceTruth,
} from "../session/resume/workspace-truth.ts";
import { withGit } from "./git.ts";
import { unreadable } from "./repository.ts";

const LIMITS = { ms: 5_000, bytes: 1024 * 1024 };

/** A submodule is a repository of its own, whose configuration git would obey. */
const outsideSubmodules = `git() {
  word=$1; shift
  case $word in
    rev-parse) command git "$word" "$@" ;;
    *) command git "$word" --ignore-submodules=all "$@" ;;
  esac
}`;

const empty: WorkspaceTruth = { head: null, dirty: [], diffStat: "" };

/** Null without a repository. */
export async function readStatus(root: string): Promise<WorkspaceStatusView | null> {
  return withGit(root, async ({ repository: { branch, head }, run }) => {
    const command = `${outsideSubmodules}\n${truthCommand}`;
    const { stdout, code } = await run(["/bin/sh", "-c", command], LIMITS);
    const truth = parseTruth(stdout.toString(), code) ?? (head === null ? empty : null);
    if (truth === null) throw unreadable("git finds it damaged");
    return { repository: true, branch, ...truth, dirty: [...truth.dirty] };
  });
}
