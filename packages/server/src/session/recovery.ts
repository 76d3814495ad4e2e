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
  type WorkspaceContents,
} from "@holdfast/protocol";
import { inTime } from "./in-time.ts";
import { isLate } from "./refusals.ts";
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
  /** What the session's folder holds now; null where nobody can tell. */
  contents(session: SessionId): Promise<WorkspaceContents | null>;
}

export const noHolders: Holders = {
  probe: async () => "dead",
  adopt: async () => undefined,
  drain: async () => undefined,
  contents: async () => null,
};

export interface RecoveryReport {
  readonly adopted: readonly SessionId[];
  readonly interrupted: readonly SessionId[];
  readonly unreachable: readonly SessionId[];
  /** Open runs that go on by themselves: an undelivered prompt, answer or cancel. */
  readonly continued: readonly SessionId[];
  readonly waiting: readonly SessionId[];
  readonly damaged: readonly SessionId[];
  /** Could not be settled now, for example on a full disk; the sweep tries again. */
  readonly failed: readonly SessionId[];
}

type Settled = Exclude<keyof RecoveryReport, "damaged" | "failed">;

/** Enough to fill group commits: over 1,000 runs, 128 took 6 MB more and 2 % less processor time. */
export const PARALLEL = 64;

/** Not one session's failure: another life has begun, or this one is over. */
const lifeIsOver = new Set(["fenced", "journal_closed"]);

export async function recover(
  sessions: Sessions,
  holders: Holders,
  onError: (session: SessionId, error: unknown) => void,
): Promise<RecoveryReport> {
  const report: Record<keyof RecoveryReport, SessionId[]> = {
    adopted: [],
    interrupted: [],
    unreachable: [],
    continued: [],
    waiting: [],
    damaged: [],
    failed: [],
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
      // One session that cannot be settled must not keep the others from being served.
      const code = error instanceof HostError ? error.code : "internal";
      if (lifeIsOver.has(code)) throw error;
      report[code === "session_damaged" ? "damaged" : "failed"].push(session);
      onError(session, error);
    }
  });
  return report;
}

/**
 * Whether the fate of its processes is still open: never proved, or of an earlier life. A run that
 * waits without a holder has none, and goes on waiting as it is.
 */
export function isUnsettled(sessions: Sessions, { runtime }: SessionState, run: RunState): boolean {
  if (!isStale(sessions, run)) return false;
  return run.unreachable || run.waits.length === 0 || runtime.holderId !== null;
}

const isStale = (sessions: Sessions, run: RunState) =>
  run.unreachable || run.epoch !== sessions.epoch;

export async function settle(
  sessions: Sessions,
  holders: Holders,
  session: SessionId,
): Promise<Settled | null> {
  const state = await sessions.state(session);
  const run = openRun(state);
  if (run === null || !isStale(sessions, run)) return null;
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
    // In this order: a run that says it was adopted would not be tried again.
    const { clock, policy } = sessions;
    const adopted = holders.adopt(session, holderId).then(() => true);
    if ((await inTime(clock, policy.adoptLimit, adopted)) === null) {
      adopted.catch(() => undefined);
      await sessions.execute(session, "unreachable", { runId, holderId });
      return "unreachable";
    }
    return afterAdoption(sessions, session, runId, holderId);
  }
  if (holderId !== null) {
    await holders.drain(session, holderId);
    // From here on the session has no holder, and what remains of the run is this host's to launch.
    await holderExited(sessions, holders, { session, holderId, reason: "process_restart" });
  }
  return afterDeath(sessions, session, runId);
}

/** Journals that a holder is proved dead, and whether its agent left files. */
export async function holderExited(
  sessions: Sessions,
  holders: Pick<Holders, "contents">,
  { session, ...exit }: { session: SessionId; holderId: string; reason: string },
): Promise<void> {
  const workspace = await holders.contents(session);
  const left = workspace === null ? {} : { workspace };
  await sessions.execute(session, "holderExited", { ...exit, ...left });
}

/** What the holder said meanwhile is in the journal: the run goes on, is over, or lost its agent. */
async function afterAdoption(
  sessions: Sessions,
  session: SessionId,
  runId: string,
  holderId: string,
): Promise<Settled> {
  const state = await sessions.state(session);
  if (state.runtime.holderId !== holderId) return afterDeath(sessions, session, runId);
  if (openRun(state)?.id === runId) await adoptRun(sessions, session, runId);
  return "adopted";
}

/** The agent may have said its last word just now: then there is nothing left to adopt. */
export async function adoptRun(sessions: Sessions, session: SessionId, runId: string) {
  try {
    await sessions.execute(session, "adopt", { runId });
  } catch (error) {
    if (!isLate(error)) throw error;
  }
}

/** Its processes are proved dead, and all they said is in the journal: what remains of the run? */
async function afterDeath(sessions: Sessions, session: SessionId, runId: string): Promise<Settled> {
  const open = openRun(await sessions.state(session));
  if (open?.id !== runId || !isStale(sessions, open)) return "continued";
  const reason = "process_restart";
  const attempt = open.attempt.n;
  const { state } = await sessions.execute(session, "interrupt", { runId, attempt, reason });
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
  const { clock, policy } = sessions;
  const probed = holders.probe(session, holderId).catch((): Verdict => "unknown");
  return (await inTime(clock, policy.holderProbe, probed)) ?? "unknown";
}

export async function each<T>(items: readonly T[], width: number, act: (item: T) => Promise<void>) {
  const left = items.values();
  const lane = async () => {
    for (const item of left) await act(item);
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, lane));
}
