import { endIn } from "../agent-end.ts";
import type { EventOf, Stamped } from "../events.ts";
import type { AttemptState, RunState, SessionState } from "../session.ts";
import type { Way } from "../vocabulary.ts";
import { type FoldsOf, onRun, onRuntime } from "./change.ts";

export const runFolds: FoldsOf<"run"> = {
  "run.started": (state, event) => ({
    ...state,
    recovery: { ...state.recovery, interruption: null },
    // "Interrupt" applied only to the run that was open when the message was sent.
    queue: state.queue.map((queued) => (queued.urgent ? { ...queued, urgent: false } : queued)),
    run: newRun(event),
    spoken: 0,
  }),
  "run.cancel_requested": (state, event) =>
    onRun(state, event, () => ({ cancel: { at: event.ts, by: event.by } })),
  "run.paused": (state, event) => onRun(state, event, () => ({ paused: event.reason })),
  "run.waiting": (state, event) =>
    onRun(state, event, (run) => ({
      waits: [
        ...run.waits,
        {
          id: event.waitId,
          kind: event.waitKind,
          sinceSeq: event.seq,
          epoch: event.epoch,
          openedAt: event.ts,
          deadlineAt: event.deadlineAt,
          clock: event.clock ?? null,
          approvalId: event.approvalId,
          token: null,
        },
      ],
    })),
  "run.resumed": (state, event) =>
    onRun(state, event, (run) => ({
      paused: null,
      waits: run.waits.filter((wait) => wait.id !== event.waitId),
      results:
        event.waitId === null || event.result === undefined
          ? run.results
          : [
              ...run.results,
              { waitId: event.waitId, attempt: run.attempt.n, result: event.result },
            ],
    })),
  "run.unreachable": (state, event) =>
    onRun(state, event, ({ activeAt }) => ({ unreachable: true, activeAt })),
  "run.adopted": (state, event) => ({
    ...onRun(adoptedRuntime(state, event.epoch), event, (run) => ({
      epoch: event.epoch,
      bootId: event.bootId,
      unreachable: false,
      activeAt: run.activeAt,
      attempt: { ...run.attempt, epoch: event.epoch },
    })),
    recovery: { ...state.recovery, lastBootSeen: event.bootId },
  }),
  "run.silent": (state, event) =>
    onRun(state, event, ({ lastEventAt, activeAt }) => ({
      silentSince: event.since,
      lastEventAt,
      activeAt,
    })),
  "run.completed": (state, event) =>
    onRuntime(endRun(state, event, { outcome: "completed" }), {
      lastMessageId: event.lastMessageId ?? state.runtime.lastMessageId,
    }),
  "run.failed": (state, event) => endRun(state, event, { outcome: "failed", error: event.error }),
  "run.cancelled": (state, event) => endRun(state, event, { outcome: "cancelled" }),
  "run.interrupted": (state, event) => {
    const { runId, reason, bootId, ts: at } = event;
    const end = endIn(reason, state.runtime.agentEnd);
    return {
      ...endRun(state, event, { outcome: "interrupted", interruption: reason, ...end }),
      recovery: {
        ...state.recovery,
        lastBootSeen: bootId,
        interruption: { runId, reason, ...end, at },
      },
    };
  },
  "run.dismissed": (state, event) => ({
    ...onRun(state, event, () => ({ dismissed: true })),
    recovery: { ...state.recovery, interruption: null, reviveError: null },
  }),
};

/** Only a holder outlives its host; a runtime without one ended with its boot. */
function adoptedRuntime(state: SessionState, epoch: number): SessionState {
  return state.runtime.holderId === null ? state : onRuntime(state, { epoch });
}

export const newAttempt = (
  n: number,
  event: { epoch: number; ts: string; way?: Way },
): AttemptState => ({
  n,
  epoch: event.epoch,
  way: event.way ?? "prompt",
  startedAt: event.ts,
  accepted: false,
  holderId: null,
  heard: false,
  effects: false,
  failed: null,
});

function newRun(event: Stamped<EventOf<"run.started">>): RunState {
  return {
    id: event.runId,
    messageId: event.messageId,
    continues: event.continues ?? null,
    from: event.from ?? null,
    model: event.model,
    epoch: event.epoch,
    bootId: event.bootId,
    startedAt: event.ts,
    startedSeq: event.seq,
    endedAt: null,
    lastEventAt: event.ts,
    activeAt: event.ts,
    outcome: null,
    interruption: null,
    error: null,
    attempt: newAttempt(0, event),
    retries: 0,
    cancel: null,
    paused: null,
    unreachable: false,
    waits: [],
    approvals: [],
    openTools: [],
    results: [],
    silentSince: null,
    dismissed: false,
    said: 0,
    saying: null,
    happening: null,
    inputTokens: 0,
    outputTokens: 0,
  };
}

function endRun(
  state: SessionState,
  event: { runId: string; seq: number; ts: string },
  change: Partial<RunState>,
): SessionState {
  const next = onRun(state, event, () => ({
    endedAt: event.ts,
    waits: [],
    unreachable: false,
    paused: null,
    ...change,
  }));
  if (next === state) return state;
  // A rule that was granted for one run ends with it.
  const rules = next.rules.filter((rule) => rule.scope !== "run" || rule.runId !== event.runId);
  return {
    ...next,
    rules: rules.length === next.rules.length ? next.rules : rules,
    ends: endsWith(state.ends, event, change.outcome === "failed"),
  };
}

function endsWith(
  ends: SessionState["ends"],
  { seq, ts }: { seq: number; ts: string },
  failed: boolean,
): SessionState["ends"] {
  const { at = null, failedAt = null } = ends ?? {};
  return failed ? { seq, at, failedAt: later(failedAt, ts) } : { seq, at: later(at, ts), failedAt };
}

/** The later of two times, so that a clock that was set back does not shorten retention. */
function later(known: string | null, ts: string): string {
  return known !== null && known > ts ? known : ts;
}
