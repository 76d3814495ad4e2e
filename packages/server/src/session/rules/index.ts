/** Every transition of a session, by command name. */

import type { CommandName } from "@holdfast/protocol";
import { decide, deliver, markWorkspace, requestApproval } from "./approvals.ts";
import { accept, failAttempt } from "./attempts.ts";
import { foldJournal, fork, receipt, rewind } from "./history.ts";
import { end, pause, queueLaunch, revive, revived, reviveFailed } from "./lifecycle.ts";
import { editQueued, prompt, releaseQueue, removeQueued, retry } from "./messages.ts";
import { record, speak } from "./output.ts";
import { recover } from "./recovered.ts";
import type { Rule } from "./rule.ts";
import {
  adopt,
  cancel,
  complete,
  dismiss,
  notice,
  pauseRun,
  processDied,
  settleCancel,
  unpauseRun,
  unreachable,
} from "./runs.ts";
import {
  agentExited,
  agentReady,
  checkpoint,
  checkpointFailed,
  holderExited,
  launchHolder,
  loseWorkspace,
  retireAgentSession,
  sandbox,
} from "./runtime.ts";
import { create, rename, setPolicy } from "./sessions.ts";
import { revokeRule } from "./standing.ts";
import { announce } from "./status.ts";
import { mintToken, revokeToken } from "./tokens.ts";
import { deliverResult, expireWait, openWait, resumeWait } from "./waits.ts";

export const rules: { readonly [N in CommandName]: Rule<N> } = {
  create,
  rename,
  setPolicy,
  prompt,
  editQueued,
  removeQueued,
  releaseQueue,
  cancel,
  settleCancel,
  complete,
  processDied,
  unreachable,
  adopt,
  notice,
  dismiss,
  retry,
  pauseRun,
  unpauseRun,
  accept,
  failAttempt,
  record,
  speak,
  openWait,
  resumeWait,
  expireWait,
  mintToken,
  revokeToken,
  requestApproval,
  decide,
  deliver,
  deliverResult,
  markWorkspace,
  revokeRule,
  pause,
  revive,
  revived,
  reviveFailed,
  queueLaunch,
  agentReady,
  agentExited,
  retireAgentSession,
  recover,
  launchHolder,
  loseWorkspace,
  holderExited,
  sandbox,
  checkpoint,
  checkpointFailed,
  rewind,
  fork,
  end,
  foldJournal,
  receipt,
  announce,
};
