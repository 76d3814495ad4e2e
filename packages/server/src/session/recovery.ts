/**
 * What a new life does with what the last one left, before it serves anyone: adopt what lives,
 * drain and settle what is proved dead, and leave open what nobody can prove. Its work grows with
 * open runs, not with sessions, and each step is a command whose rule makes it happen once.
 */

import {
  HostError,
  openRun,
  type RunState,
  type SessionId,
  type SessionState,
} from "@holdfast/protocol";
import type { Sessions } from "./sessions.ts";

export type Verdict = "alive" | "dead" | "unknown";

/** The seam for what outlives the host. A run without a holder ran inside the host and died with it. */
export interface Holders {
  /** Whether the recorded holder answers; `unknown` unless its death is proved. */
  probe(session: SessionId, holderId: string): Promise<Verdict>;
  /** Takes the living holder over; its frames go on where the journal stands. */
  adopt(session: SessionId, holderId: string): Promise<void>;
  /** Journals what a dead holder's spool still holds; only then may a run be interrupted. */
  drain(session: SessionId, holderId: string): Promise<void>;
}

export const noHolders: Holders = {
  probe: async () => "dead",
  adopt: async () => undefined,
  drain: async () => undefined,
};

export interface RecoveryReport {
  readonly adopted: readonly SessionId[];
  readonly interrupted: readonly SessionId[];
  readonly unreachable: readonly SessionId[];
  /** Open runs that go on by themselves: an undelivered prompt, answer or cancel. */
  readonly continued: readonly SessionId[];
  readonly waiting: readonly SessionId[];
  readonly damaged: readonly SessionId[];
}

type Settled = Exclude<keyof RecoveryReport, "damaged">;

/** Enough to fill group commits; more would only cost memory. */
const PARALLEL = 128;

export async function recover(sessions: Sessions, holders: Holders): Promise<RecoveryReport> {
  const report: Record<keyof RecoveryReport, SessionId[]> = {
    adopted: [],
    interrupted: [],
    unreachable: [],
    continued: [],
    waiting: [],
    damaged: [],
  };
  await each(await sessions.journal.opened(), PARALLEL, async ({ session, damage }) => {
    if (damage !== undefined) {
      report.damaged.push(session);
      return;
    }
    try {
      const settled = await settle(sessions, holders, session);
      if (settled !== null) report[settled].push(session);
    } catch (error) {
      // One session whose bytes fail their checksum must not keep the others from being served.
      if (!(error instanceof HostError) || error.code !== "session_damaged") throw error;
      report.damaged.push(session);
    }
  });
  return report;
}

export async function settle(
  sessions: Sessions,
  holders: Holders,
  session: SessionId,
): Promise<Settled | null> {
  const state = await sessions.state(session);
  const run = openRun(state);
  if (run === null) return null;
  if (run.epoch === sessions.epoch && !run.unreachable) return null;
  const settled = await act(sessions, holders, session, state, run);
  await sessions.execute(session, "announce", {});
  return settled;
}

async function act(
  sessions: Sessions,
  holders: Holders,
  session: SessionId,
  { runtime }: SessionState,
  { id: runId }: RunState,
): Promise<Settled> {
  const { holderId } = runtime;
  const verdict = holderId === null ? "dead" : await within(sessions, holders, session, holderId);
  if (verdict === "unknown") {
    await sessions.execute(session, "unreachable", { runId, holderId });
    return "unreachable";
  }
  if (holderId !== null && verdict === "alive") {
    await sessions.execute(session, "adopt", { runId });
    await holders.adopt(session, holderId);
    return "adopted";
  }
  if (holderId !== null) await holders.drain(session, holderId);
  return afterDeath(sessions, session, runId);
}

/** Its processes are proved dead, and all they said is in the journal: what remains of the run? */
async function afterDeath(sessions: Sessions, session: SessionId, runId: string): Promise<Settled> {
  const open = openRun(await sessions.state(session));
  if (open?.id !== runId) return "continued";
  const reason = "process_restart";
  const { state } = await sessions.execute(session, "interrupt", { runId, reason });
  const run = openRun(state);
  if (run?.id === runId) return run.waits.length > 0 ? "waiting" : "continued";
  return state.run?.outcome === "interrupted" ? "interrupted" : "continued";
}

async function within(
  sessions: Sessions,
  holders: Holders,
  session: SessionId,
  holderId: string,
): Promise<Verdict> {
  const late = new Promise<Verdict>((resolve) => {
    sessions.clock.after(sessions.policy.holderProbe, () => resolve("unknown"));
  });
  return Promise.race([holders.probe(session, holderId).catch((): Verdict => "unknown"), late]);
}

async function each<T>(items: readonly T[], width: number, act: (item: T) => Promise<void>) {
  const left = items.values();
  const lane = async () => {
    for (const item of left) await act(item);
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, lane));
}
