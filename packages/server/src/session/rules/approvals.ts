/**
 * Approvals. An approval is bound by a digest to the tool and its canonical input, to the run, and
 * to the holder that asked. The first answer wins, from any device, also while no process of the
 * run is alive.
 */

import { createHash } from "node:crypto";
import {
  type ApprovalDecision,
  type ApprovalState,
  type AskedAgain,
  type Command,
  canonicalJson,
  type EventBody,
  HostError,
  isCarried,
  type Json,
  type RunState,
  type SessionState,
  stateLimits,
  type WaitState,
  type WorkspaceMark,
} from "@holdfast/protocol";
import { attemptRule, type Decision, type Moment, openRunOf, rule, runRule } from "./rule.ts";
import { jsonBytes } from "./size.ts";
import { granting, ruleFor } from "./standing.ts";
import { admit, spent, wonBefore } from "./tokens.ts";
import { closingWait, waiting } from "./waits.ts";

/** The digest that an answer is bound to; `whole` is the blob hash of a too large input. */
export function digestOf(toolName: string, input: Json, whole?: string): string {
  const bound = whole === undefined ? {} : { whole };
  return createHash("sha256")
    .update(canonicalJson({ input, tool: toolName, ...bound }))
    .digest("hex");
}

export const requestApproval = attemptRule("requestApproval", (run, input, at, state): Decision => {
  const { inputBlob, inputPreview } = input;
  const digest = digestOf(input.toolName, input.input, inputBlob?.hash);
  const known = run.approvals.find((open) => sameQuestion(open, input, digest));
  if (known !== undefined) return [];
  const refused = noRoom(run, input.input, at);
  if (refused !== null) return refused;
  const approvalId = at.newId("approval");
  const { answer: earlier, again } = earlierAnswer(run, input, digest);
  const asked: EventBody = {
    kind: "approval.requested",
    runId: run.id,
    attempt: run.attempt.n,
    approvalId,
    toolCallId: input.toolCallId,
    toolName: input.toolName,
    input: input.input,
    ...(inputBlob === undefined ? {} : { inputBlob }),
    ...(inputPreview === undefined ? {} : { inputPreview }),
    digest,
    askedBy: input.askedBy,
    ...(input.options === undefined ? {} : { options: input.options }),
    exact: input.exact,
    ...(input.workspace == null ? {} : { workspace: input.workspace }),
    ...(again?.reason === "input_changed" ? { changedFrom: again.approvalId } : {}),
    ...(again === undefined ? {} : { askedAgain: again }),
  };
  const answer = answerFor(state, run, input, earlier);
  if (answer !== null) {
    return [asked, { kind: "approval.decided", runId: run.id, approvalId, ...answer }];
  }
  const deadlineAt = input.deadlineAt ?? deadlineOf(at);
  const wait = { kind: "human", deadlineAt, approvalId } as const;
  return [asked, ...waiting(run, wait, input.token, at)];
});

/** The deadline by the session's policy; null when questions wait without a limit. */
function deadlineOf({ now, policy }: Moment): string | null {
  const { approvalDeadline } = policy;
  return approvalDeadline === null ? null : new Date(now + approvalDeadline).toISOString();
}

/** Refuses a question when undelivered approvals reach the limit in number or bytes. */
function noRoom(run: RunState, input: Json, at: Moment): HostError | null {
  const kept = run.approvals.filter((asked) => !asked.delivered && !asked.withdrawn);
  const bytes = kept.reduce((sum, asked) => sum + jsonBytes(asked.input), jsonBytes(input));
  if (kept.length < stateLimits.approvals && bytes <= at.policy.approvalBytes) return null;
  return new HostError(
    "limit_reached",
    `${kept.length} questions are open, which is the limit. Answer one first.`,
  );
}

/** True for the same holder frame, or the same call and input whose answer is unused. */
function sameQuestion(
  open: ApprovalState,
  input: Command<"requestApproval">,
  digest: string,
): boolean {
  if (input.askedBy !== null && open.askedBy !== null) {
    return open.askedBy.holderId === input.askedBy.holderId && open.askedBy.n === input.askedBy.n;
  }
  return (
    open.toolCallId === input.toolCallId &&
    open.attempt === input.attempt &&
    open.digest === digest &&
    !open.withdrawn &&
    !open.delivered
  );
}

/** Answers that never arrived; each is valid once, for its digest, in its launch. */
function unusedAnswers(run: RunState, toolName: string): readonly ApprovalState[] {
  return run.approvals.filter(
    (asked) =>
      asked.decision !== null &&
      !asked.delivered &&
      asked.attempt < run.attempt.n &&
      asked.toolName === toolName,
  );
}

interface Earlier {
  readonly answer?: ApprovalState;
  readonly again?: AskedAgain;
}

/** Finds an earlier answer, which needs exactly the same input over exactly the same files. */
function earlierAnswer(run: RunState, input: Command<"requestApproval">, digest: string): Earlier {
  const unused = unusedAnswers(run, input.toolName);
  const same = unused.find((asked) => asked.digest === digest);
  const done = same === undefined && input.exact ? ranBefore(run, digest) : undefined;
  if (done !== undefined) return { again: done };
  const answer = same ?? unused[0];
  if (answer === undefined) return {};
  const { id: approvalId, decision } = answer;
  const earlier = { approvalId, ...(decision === null ? {} : { decision }) };
  if (!answer.exact || !input.exact) return { again: { reason: "input_unknown", ...earlier } };
  if (same === undefined) return { again: { reason: "input_changed", ...earlier } };
  const { workspace: before } = answer;
  // Journals of earlier versions have no workspace mark, so the answer is used.
  if (before === null && answer.needsMark !== true) return { answer };
  if (before === null || input.workspace == null) {
    return { again: { reason: "files_unknown", ...earlier } };
  }
  if (before.digest === input.workspace.digest) return { answer };
  return { again: { reason: "files_changed", ...earlier, ...difference(before, input.workspace) } };
}

/** Exactly this call, allowed in an earlier launch, which ran or may have run. */
function ranBefore(run: RunState, digest: string): AskedAgain | undefined {
  const {
    id: approvalId,
    decision,
    ran,
  } = run.approvals.findLast(
    (asked) => asked.ran && asked.exact && asked.digest === digest && asked.attempt < run.attempt.n,
  ) ?? {};
  if (approvalId === undefined || decision == null || ran === undefined) return undefined;
  // Readers of earlier versions do not know `ran`; the words of this reason are true for them.
  return { reason: "files_unknown", approvalId, decision, ran };
}

/** True when an earlier answer may apply to this tool; the workspace is then marked. */
export function isComparable(run: RunState, toolName: string): boolean {
  return unusedAnswers(run, toolName).some(({ workspace }) => workspace !== null);
}

function difference(before: WorkspaceMark, now: WorkspaceMark): Pick<AskedAgain, "files" | "head"> {
  const old = new Map(before.files);
  const fresh = new Map(now.files);
  const names = new Set([...old.keys(), ...fresh.keys()]);
  return {
    files: [...names].filter((name) => old.get(name) !== fresh.get(name)).slice(0, MOST_NAMED),
    ...(before.head === now.head ? {} : { head: { from: before.head, to: now.head } }),
  };
}

const MOST_NAMED = 20;

/**
 * Records the workspace mark of a question whose answer the agent has not received yet. A mark
 * after a later launch is too late, because that launch may have changed files.
 */
export const markWorkspace = runRule("markWorkspace", (run, input): Decision => {
  const asked = run.approvals.find(({ id }) => id === input.approvalId);
  if (asked === undefined || asked.delivered || asked.withdrawn) return [];
  if (asked.attempt < run.attempt.n) return [];
  return asked.workspace === null ? [{ kind: "approval.marked", ...input }] : [];
});

/** Answers that were never delivered, for the prompt of the next launch. */
export function carriedAnswers(run: RunState): CarriedAnswer[] {
  return run.approvals.flatMap((asked) => {
    const { toolCallId, toolName, decision, reason } = asked;
    if (decision === null || !isCarried(asked, run)) return [];
    return [{ toolCallId, toolName, decision, reason }];
  });
}

interface CarriedAnswer {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly decision: ApprovalDecision;
  readonly reason: string | null;
}

type Answer = Pick<
  Extract<EventBody, { kind: "approval.decided" }>,
  "decision" | "by" | "option" | "ruleId" | "carriedFrom"
>;

function answerFor(
  state: SessionState,
  run: RunState,
  input: Command<"requestApproval">,
  earlier: ApprovalState | undefined,
): Answer | null {
  if (run.cancel !== null) return { decision: "deny", by: "cancel" };
  if (earlier !== undefined && earlier.decision !== null && earlier.by !== null) {
    const { decision, by, option, id: carriedFrom } = earlier;
    // If the new question does not offer the same option, only the yes or no is used.
    const isOffered = input.options?.some(({ id }) => id === option) ?? false;
    const chosen = option !== undefined && isOffered ? { option } : {};
    return { decision, by, carriedFrom, ...chosen };
  }
  const standing = input.exact ? ruleFor(state, run, input.toolName, input.input) : undefined;
  return standing === undefined ? null : { decision: "allow", by: "rule", ruleId: standing.id };
}

export const decide = rule("decide", (state, input, at): Decision => {
  const run = openRunOf(state, input.runId);
  if (run instanceof HostError) return lateAnswer(state, input, run);
  const approval = findApproval(run, input);
  if (approval instanceof HostError) return approval;
  // The first answer stands. A later caller without a token gets that answer.
  if (approval.decision !== null) {
    return input.token === undefined || wonBefore(state, input.token, input.key)
      ? []
      : spent(state, input.token);
  }
  if (approval.withdrawn) {
    return new HostError(
      "not_open",
      `The agent no longer asks this question; your answer changed nothing.`,
    );
  }
  if (input.digest !== undefined && input.digest !== approval.digest) {
    return new HostError(
      "approval_mismatch",
      "The request has changed since you saw it. Look at it again before you answer.",
    );
  }
  const wait = waitOf(state, run, approval, input, at);
  if (wait instanceof HostError) return wait;
  const decision = input.decision === "approve" ? "allow" : input.decision;
  if (decision === "allow_always" && input.token !== undefined) {
    return new HostError(
      "forbidden",
      "A token may only allow or deny this one question. Only the owner may allow always.",
    );
  }
  const misfit = optionMisfit(approval, decision, input);
  if (misfit !== null) return misfit;
  const granted = decision === "allow_always" ? granting(state, run, approval, input, at) : [];
  if (granted instanceof HostError) return granted;
  return [
    {
      kind: "approval.decided",
      runId: run.id,
      approvalId: approval.id,
      decision,
      by: input.by,
      ...(input.credential === undefined ? {} : { credential: input.credential }),
      ...(input.reason === undefined ? {} : { reason: input.reason }),
      ...(input.option === undefined ? {} : { option: input.option }),
    },
    ...granted,
    ...(wait === undefined ? [] : closingWait(run, wait, input)),
  ];
});

/** The reason why the option does not fit the decision; null when it fits or is absent. */
function optionMisfit(
  approval: ApprovalState,
  decision: ApprovalDecision,
  { option: wanted, token }: Command<"decide">,
): HostError | null {
  if (wanted === undefined) return null;
  const option = approval.options.find(({ id }) => id === wanted);
  if (option === undefined) {
    const message = "The agent offers no such option. Look at the request again.";
    return new HostError("bad_input", message);
  }
  // "Always" is a standing rule of the host; the agent gets its own allow-once option.
  const fits = decision === "deny" ? "reject_" : decision === "allow" ? "allow_" : null;
  if (fits === null || !option.kind.startsWith(fits)) {
    const message = `The option "${option.name}" does not mean ${decision}. Send the matching decision.`;
    return new HostError("bad_input", message);
  }
  if (token !== undefined && option.kind.endsWith("_always")) {
    const message =
      "A token may only answer this one question. Only the owner may choose an option that lasts longer.";
    return new HostError("forbidden", message);
  }
  return null;
}

function waitOf(
  state: SessionState,
  run: RunState,
  approval: ApprovalState,
  input: Command<"decide">,
  at: Moment,
): WaitState | HostError | undefined {
  const wait = run.waits.find((open) => open.approvalId === approval.id);
  if (input.token === undefined) return wait;
  const asked = { runId: input.runId, waitId: wait?.id ?? "none", kind: "human" };
  return admit(state, run, input.token, asked, at);
}

function findApproval(run: RunState, input: Command<"decide">): ApprovalState | HostError {
  const found = run.approvals.findLast((asked) =>
    input.approvalId === undefined
      ? asked.toolCallId === input.toolCallId
      : asked.id === input.approvalId,
  );
  return (
    found ??
    new HostError("approval_not_found", "This question is not open. Look at the session again.")
  );
}

/** After the run's end a caller gets the earlier answer; a new answer is refused. */
function lateAnswer(state: SessionState, input: Command<"decide">, otherwise: HostError): Decision {
  if (input.token !== undefined && input.token.runId !== input.runId) {
    return new HostError("token_mismatch", "This token belongs to another run.");
  }
  if (input.token !== undefined) {
    return wonBefore(state, input.token, input.key) ? [] : spent(state, input.token);
  }
  const run = state.run;
  if (run === null || run.id !== input.runId) return otherwise;
  const approval = findApproval(run, input);
  if (approval instanceof HostError) return approval;
  return approval.decision === null ? otherwise : [];
}

/** Records that the asking process received its answer. */
export const deliver = runRule("deliver", (run, input) => {
  const approval = findApproval(run, { ...input, decision: "allow", by: "host", scope: "run" });
  if (approval instanceof HostError) return approval;
  if (approval.decision === null) {
    return new HostError("not_waiting", `Approval ${approval.id} is not decided yet.`);
  }
  if (approval.delivered) return [];
  return [{ kind: "approval.delivered", runId: run.id, approvalId: approval.id }];
});
