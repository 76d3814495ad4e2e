/** Hand-made states and events for tests of the folds and the derived words. */

import type { Event, EventBody } from "../events.ts";
import { foldAll } from "../fold.ts";
import { emptyState, type RunState, type SessionState, type WaitState } from "../session.ts";

export const TIME = "2026-01-01T00:00:00.000Z";

/** Stamps bodies 1..n, one second apart. */
export function journal(...bodies: readonly EventBody[]): Event[] {
  return bodies.map((body, i) => ({ seq: i + 1, ts: ts(i), ...body }) as Event);
}

export const ts = (i: number): string => new Date(Date.parse(TIME) + i * 1000).toISOString();

export const created: EventBody = {
  kind: "session.created",
  sessionId: "sess_1",
  tenant: "t",
  title: "Title",
  agentName: "demo",
  model: null,
  workspace: { kind: "empty", path: null, branch: null },
  isolation: "none",
  policy: {},
};

export const user = (messageId = "msg_1", content = "Do it"): EventBody => ({
  kind: "message.user",
  messageId,
  content,
});

export const started = (runId = "run_1", messageId = "msg_1"): EventBody => ({
  kind: "run.started",
  runId,
  messageId,
  epoch: 1,
  bootId: "boot_1",
  model: null,
});

export const attempt = (n: number, runId = "run_1"): EventBody => ({
  kind: "attempt.started",
  runId,
  attempt: n,
  epoch: 1,
  cause: n === 1 ? "prompt" : "transient",
  way: n === 1 ? "prompt" : "continue",
});

export const text = (said: string, n = 1, runId = "run_1"): EventBody => ({
  kind: "text.appended",
  runId,
  attempt: n,
  text: said,
});

export const running = [created, user(), started(), attempt(1)] as const;

export function runState(change: Partial<RunState> = {}): RunState {
  const { run } = foldAll(journal(...running));
  return { ...(run as RunState), ...change };
}

export const withRun = (
  run: RunState | null,
  change: Partial<SessionState> = {},
): SessionState => ({
  ...emptyState,
  seq: 1,
  run,
  ...change,
});

export const aWait = (change: Partial<WaitState> = {}): WaitState => ({
  id: "wait_1",
  kind: "human",
  sinceSeq: 1,
  epoch: 1,
  openedAt: TIME,
  deadlineAt: null,
  clock: null,
  approvalId: null,
  token: null,
  ...change,
});
