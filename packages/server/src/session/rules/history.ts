/** Rewind, fork, retention, receipts: facts about the journal itself. */

import { HostError, openRun, type SessionState } from "@holdfast/protocol";
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

/** Said in the new session, after the prefix it was copied from. Rules do not come along. */
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

/** The events up to `upTo` are about to live on only in the stored base. */
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

/** Run detail is folded when the latest run is old enough; never while anything is open. */
export function detailDue(state: SessionState, at: Moment): boolean {
  const run = state.run;
  if (run === null || run.endedAt === null || state.seq <= state.trimmedTo + 1) return false;
  const kept = run.outcome === "failed" ? at.policy.errorDetailKept : at.policy.runDetailKept;
  return at.steady - Date.parse(run.endedAt) >= kept;
}

/** Only an ended session disappears, and only after its time. */
export function removalDue(state: SessionState, at: Moment): boolean {
  return state.ended !== null && at.steady - Date.parse(state.ended.at) >= at.policy.endedKept;
}

/** Whether the session's time to live is over: measured from its last sign of use. */
export function ttlDue(state: SessionState, at: Moment): boolean {
  const ttl = at.policy.sessionTtl;
  if (ttl === null || state.ended !== null || openRun(state) !== null) return false;
  return at.steady - Date.parse(state.updatedAt) >= ttl;
}
