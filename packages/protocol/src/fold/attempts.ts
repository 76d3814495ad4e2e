/** Folds of attempts, their output and their tool calls. */

import type { EventOf } from "../events.ts";
import { isCarried, type RunState, type RuntimeState, type SessionState } from "../session.ts";
import { notRunWords, partHappening, saying, toolHappening } from "../words/happening.ts";
import { type FoldsOf, onAttempt, onRun, onRuntime } from "./change.ts";
import { newAttempt } from "./runs.ts";

export const attemptFolds: FoldsOf<"attempt" | "text" | "thinking" | "part" | "usage" | "tool"> = {
  "attempt.started": (state, event) =>
    onRun(state, event, (run) => ({
      attempt: newAttempt(event.attempt, event),
      approvals: run.approvals.map((asked) =>
        asked.carriedTo === null ? asked : { ...asked, delivered: true },
      ),
      epoch: event.epoch,
      retries: event.cause === "transient" ? run.retries + 1 : run.retries,
      saying: null,
    })),
  "attempt.accepted": (state, event) =>
    // The accepted prompt told the agent everything that it did not know.
    onAttempt(
      onRuntime(state, {
        contextFrom: null,
        cutOffRun: null,
        ...modelOf(state),
        ...(state.runtime.workspaceLost == null ? {} : { workspaceLost: null }),
      }),
      event,
      (run) => ({
        attempt: { ...run.attempt, accepted: true, holderId: event.holderId },
        // The prompt also carried every undelivered answer; they now belong to this attempt.
        approvals: run.approvals.map((asked) =>
          isCarried(asked, run) ? { ...asked, carriedTo: event.attempt } : asked,
        ),
      }),
    ),
  "attempt.failed": (state, event) =>
    onAttempt(state, event, (run) => ({ attempt: { ...run.attempt, failed: event.error } })),

  "text.appended": (state, event) => words(state, event, "text"),
  "thinking.appended": (state, event) => words(state, event, "thinking"),
  "part.added": (state, event) =>
    heard(state, event, (run) => ({
      ...newPart(run, JSON.stringify(event.part).length),
      happening: partHappening(event.part) ?? run.happening,
    })),
  "usage.reported": (state, event) =>
    heard(state, event, (run) => ({
      inputTokens: run.inputTokens + event.inputTokens,
      outputTokens: run.outputTokens + event.outputTokens,
    })),
  "tool.started": (state, event) =>
    heard(state, event, (run) => ({
      ...newPart(run, 0),
      attempt: { ...run.attempt, effects: true },
      happening: toolHappening(event),
      openTools: [
        ...run.openTools,
        { id: event.toolCallId, name: event.name, attempt: event.attempt, gated: event.gated },
      ],
    })),
  "tool.updated": (state, event) =>
    heard(state, event, (run) => ({
      said: run.said + event.output.length + newsSize(event),
      happening: newsOf(run, event),
      openTools: renamed(run.openTools, event),
    })),
  // A finished tool is progress and resets the retry budget. Calls of an earlier launch are closed
  // here too, because recovery closes the calls that it left open.
  "tool.finished": (state, event) =>
    onRun(state, event, (run) => ({
      retries: event.synthetic === true ? run.retries : 0,
      said: run.said + event.output.length,
      happening: ended(run, event),
      approvals: ranIn(run.approvals, event),
      openTools: run.openTools.filter((tool) => tool.id !== event.toolCallId),
    })),
};

/** The happening with the words for a call that ended without running, unless words came later. */
function ended(run: RunState, { toolCallId, status }: EventOf<"tool.finished">): LastHappening {
  const asked = run.approvals.findLast((one) => one.toolCallId === toolCallId);
  if (asked === undefined || run.happening?.kind !== "does") return run.happening;
  if (asked.decision !== "deny" && status !== "not_started") return run.happening;
  const name = run.openTools.find(({ id }) => id === toolCallId)?.name ?? asked.toolName;
  return { ...run.happening, notRun: notRunWords(name, asked) };
}

/** Records at an allowed question that its call ran, or may have run. */
function ranIn(
  approvals: RunState["approvals"],
  { toolCallId, attempt, status }: EventOf<"tool.finished">,
): RunState["approvals"] {
  if (status === "denied" || status === "not_started") return approvals;
  const ran = status === "completed" || status === "failed" ? "yes" : "perhaps";
  return approvals.map((asked) => {
    const isIts = asked.toolCallId === toolCallId && asked.attempt === attempt;
    const isAllowed = asked.decision !== null && asked.decision !== "deny";
    return isIts && isAllowed ? { ...asked, ran } : asked;
  });
}

type LastHappening = RunState["happening"];

/** The happening of a call whose name or input became known after its start. */
function newsOf(run: RunState, event: EventOf<"tool.updated">): LastHappening {
  if (event.name === undefined && event.input === undefined) return run.happening;
  const known = run.openTools.find(({ id }) => id === event.toolCallId)?.name ?? "";
  return toolHappening({ name: event.name ?? known, input: event.input ?? null });
}

function renamed(
  tools: RunState["openTools"],
  { toolCallId, name }: EventOf<"tool.updated">,
): RunState["openTools"] {
  if (name === undefined) return tools;
  return tools.map((tool) => (tool.id === toolCallId ? { ...tool, name } : tool));
}

/** Characters that a changed name or input counts for. */
function newsSize({ name, input }: EventOf<"tool.updated">): number {
  if (name === undefined && input === undefined) return 0;
  return PART + (name?.length ?? 0) + JSON.stringify(input ?? "").length;
}

/** Characters that each part counts for besides its text. */
const PART = 256;

function newPart(run: RunState, characters: number) {
  return { said: run.said + PART + characters, saying: null };
}

function words(
  state: SessionState,
  event: { runId: string; attempt: number; ts: string; text: string },
  kind: "text" | "thinking",
): SessionState {
  return heard(state, event, (run) => {
    const goesOn = run.saying === kind;
    return {
      said: run.said + event.text.length + (goesOn ? 0 : PART),
      saying: kind,
      happening: kind === "text" ? saying(run.happening, goesOn, event.text) : run.happening,
    };
  });
}

export function heard(
  state: SessionState,
  event: { runId: string; attempt: number; ts: string },
  change: (run: RunState) => Partial<RunState> = () => ({}),
): SessionState {
  return onAttempt(state, event, (run) => {
    if (run.attempt.heard) return change(run);
    const attempt = { ...run.attempt, heard: true };
    return { attempt, ...change({ ...run, attempt }) };
  });
}

function modelOf({ run, runtime }: SessionState): Pick<RuntimeState, "messageModel"> {
  const messageModel = run?.model ?? null;
  return messageModel === (runtime.messageModel ?? null) ? {} : { messageModel };
}
