/** Rewind, fork, retention, receipts: facts about the journal itself. */

import { HostError, openRun, type SessionState } from "@holdfast/protocol";
import type { Policy } from "../../base/policy.ts";
import { type Decision, type Moment, notEnded, rule } from "./rule.ts";

export const rewind = rule("rewind", (state, input): Decision => {
  const refused = notEnded(state);
  if (refused !== null) return refused;
  if (openRun(state) !== null) {
    return new HostError("already_running", "Cancel the run before rewinding the session.");
  }
  if (input.toSeq >= state.seq) {
    return new HostError(
      "cursor_ahead",
      `The journal has ${state.seq} events; rewind to an earlier one.`,
    );
  }
  return [{ kind: "session.rewound", ...input }];
});

/** Recorded in the new session, after the copied prefix. Standing rules are not copied. */
export const fork = rule("fork", (state, input): Decision => {
  const refused = notEnded(state);
  if (refused !== null) return refused;
  if (state.forkedFrom !== null || openRun(state) !== null) {
    return new HostError(
      "already_running",
      "Only a fresh copy without an open run becomes a fork.",
    );
  }
  return [{ kind: "session.forked", from: input.from }];
});

/** Records that the events up to `upTo` will be kept only in the stored base. */
export const foldJournal = rule("foldJournal", (state, input): Decision => {
  if (input.upTo > state.seq) {
    return new HostError("cursor_ahead", `The journal has ${state.seq} events, not ${input.upTo}.`);
  }
  if (input.upTo <= state.trimmedTo) return [];
  if (openRun(state) !== null) {
    return new HostError("already_running", "An open run keeps its detail.");
  }
  return [{ kind: "journal.folded", upTo: input.upTo }];
});

export const receipt = rule("receipt", (_state, input, at) => [
  { kind: "receipt.issued", receiptId: at.newId("receipt"), ...input },
]);

/** True when every run is over and old enough to fold; failed runs are kept longer. */
export function detailDue(state: SessionState, at: Moment): boolean {
  return isPast(detailAt(state, at.policy), state, at);
}

/** True when an ended session has passed its retention time. */
export function removalDue(state: SessionState, at: Moment): boolean {
  return isPast(removalAt(state, at.policy), state, at);
}

/** True when the session's time to live is over, measured from its last event. */
export function ttlDue(state: SessionState, at: Moment): boolean {
  return isPast(ttlAt(state, at.policy), state, at);
}

export function retentionTimes(state: SessionState, policy: Policy): number[] {
  const times = [detailAt(state, policy), removalAt(state, policy), ttlAt(state, policy)];
  return times.filter((time) => time !== null);
}

function detailAt(state: SessionState, policy: Policy): number | null {
  const { ends, trimmedTo } = state;
  if (ends === null || openRun(state) !== null || trimmedTo >= ends.seq) return null;
  const { at, failedAt } = ends;
  return Math.max(
    at === null ? 0 : Date.parse(at) + policy.runDetailKept,
    failedAt === null ? 0 : Date.parse(failedAt) + policy.errorDetailKept,
  );
}

function removalAt(state: SessionState, policy: Policy): number | null {
  return state.ended === null ? null : Date.parse(state.ended.at) + policy.endedKept;
}

function ttlAt(state: SessionState, policy: Policy): number | null {
  if (policy.sessionTtl === null || state.ended !== null || openRun(state) !== null) return null;
  return Date.parse(state.updatedAt) + policy.sessionTtl;
}

/**
 * Guards irreversible actions against a wrong clock: wall and steady time must both have passed the
 * time, the boot's grace time (in which a wrong clock is usually corrected) must be over, and an
 * implausibly long gap counts as a wrong clock.
 */
function isPast(time: number | null, state: SessionState, at: Moment): boolean {
  if (time === null || at.steady < at.graceUntil) return false;
  const now = Math.min(at.now, at.steady);
  return now >= time && now - Date.parse(state.updatedAt) <= at.policy.plausibleGap;
}
