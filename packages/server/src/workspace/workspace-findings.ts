/** The state of a session's workspace, for a resumed agent and its receipt. */

import type { WorkspaceLoss } from "@holdfast/protocol";
import type { ShortFile } from "./short-files.ts";
import type { WorkspaceTruth } from "./workspace-truth.ts";

export interface WorkspaceFindings {
  /** The git status; null without a readable repository. */
  readonly truth: WorkspaceTruth | null;
  readonly short: readonly ShortFile[];
  /** Set when the folder was lost, until a prompt has told the agent. */
  readonly lost: WorkspaceLoss | null;
}

/** For a prompt that does not describe the workspace. */
export const noFindings: WorkspaceFindings = { truth: null, short: [], lost: null };
