/**
 * Recovery at boot, before the host serves: adopts runs whose holders are alive, drains and settles
 * runs whose processes are proved dead, and leaves the rest open. Its work grows with open runs,
 * not with sessions, and each step is a command whose rule makes it happen once.
 */

import {
  HostError,
  openRun,
  type RunState,
  type SessionId,
  type SessionState,
  type WorkspaceContents,
} from "@holdfast/protocol";
import type { Clock } from "../base/clock.ts";
import { inTime } from "../base/in-time.ts";
import type { Policy } from "../base/policy.ts";
import type { HolderLiveness } from "../holder/host-side/liveness.ts";
import type { Journal } from "../journal/journal.ts";
import { isLate } from "./refusals.ts";
import type { Sessions } from "./sessions.ts";

/** Processes that outlive the host; a run without a holder died with its host. */
export interface HolderRecovery {
  /** Checks whether the recorded holder is alive; `unknown` unless its death is proved. */
  probe(session: SessionId, holderId: string): Promise<HolderLiveness>;
  /** Adopts a live holder; its frames are journalled from the journal's cursor on. */
  adopt(session: SessionId, holderId: string): Promise<void>;
  /** Journals the rest of a dead holder's spool; only then may a run be interrupted. */
  drain(session: SessionId, holderId: string): Promise<void>;
  contents(session: SessionId): Promise<WorkspaceContents | null>;
}

export interface RecoveryReport {
  readonly adopted: readonly SessionId[];
  readonly interrupted: readonly SessionId[];
  readonly unreachable: readonly SessionId[];
  /** Open runs that go on by themselves: with an undelivered prompt, answer or cancel. */
  readonly continued: readonly SessionId[];
  readonly waiting: readonly SessionId[];
  readonly damaged: readonly SessionId[];
  /** Sessions that could not be settled now, for example on a full disk; the sweep retries. */
  readonly failed: readonly SessionId[];
}

type Settled = Exclude<keyof RecoveryReport, "damaged" | "failed">;

/** Enough to fill group commits; 128 took 6 MB more and 2 % less processor time. */
export const PARALLEL = 64;

export interface Recovering {
  readonly sessions: Sessions;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly policy: Policy;
  readonly holders: HolderRecovery;
}

export async function recoverSessions(
  recovering: Recovering,
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
  await each(await recovering.journal.opened(), PARALLEL, async ({ session, damage }) => {
    if (damage !== undefined) {
      report.damaged.push(session);
      return;
    }
    try {
      const settled = await settle(recovering, session);
      if (settled !== null) report[settled].push(session);
    } catch (error) {
      // A session that cannot be settled must not block the others.
      const spec = error instanceof HostError ? error.spec : null;
      // Another boot has begun, or this one is closing.
      if (spec?.ends === "boot") throw error;
      report[spec?.damage === true ? "damaged" : "failed"].push(session);
      onError(session, error);
    }
  });
  return report;
}

/**
 * True while it is unknown whether the run's processes live: unreachable, or of an earlier boot. A
 * waiting run without a holder has no processes and keeps waiting.
 */
export function isUnsettled(sessions: Sessions, { runtime }: SessionState, run: RunState): boolean {
  if (!isStale(sessions, run)) return false;
  return run.unreachable || run.waits.length === 0 || runtime.holderId !== null;
}

const isStale = (sessions: Sessions, run: RunState) =>
  run.unreachable || run.epoch !== sessions.epoch;

export async function settle(recovering: Recovering, session: SessionId): Promise<Settled | null> {
  const { sessions } = recovering;
  const state = await sessions.state(session);
  const run = openRun(state);
  if (run === null || !isStale(sessions, run)) return null;
  const settled = await act(recovering, session, state, run);
  await sessions.execute(session, "announce", {});
  return settled;
}

async function act(
  recovering: Recovering,
  session: SessionId,
  { runtime }: SessionState,
  { id: runId }: RunState,
): Promise<Settled> {
  const { sessions, holders, clock, policy } = recovering;
  const { holderId } = runtime;
  const verdict = holderId === null ? "dead" : await within(recovering, session, holderId);
  if (verdict === "unknown") {
    await sessions.execute(session, "unreachable", { runId, holderId });
    return "unreachable";
  }
  if (holderId !== null && verdict === "alive") {
    // The holder is adopted before the run, because an adopted run would not be retried.
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
    // The session has no holder from here on, and this host launches the rest of the run.
    const dead = { session, holderId, reason: "process_restart" };
    await recordHolderExit(sessions, holders, dead, "found dead");
  }
  return afterDeath(sessions, session, runId);
}

/**
 * Journals that a holder is proved dead, and whether its agent left files. After an exit that this
 * host did not see, an empty folder proves nothing, because anybody may have emptied it since.
 */
export async function recordHolderExit(
  sessions: Sessions,
  holders: Pick<HolderRecovery, "contents">,
  { session, ...exit }: { session: SessionId; holderId: string; reason: string },
  how: "seen" | "found dead",
): Promise<void> {
  const workspace = await holders.contents(session);
  const isSure = workspace === "files" || (workspace === "empty" && how === "seen");
  const left = isSure ? { workspace } : {};
  await sessions.execute(session, "holderExited", { ...exit, ...left });
}

/** Settles a run after its holder's adoption: it goes on, is over, or lost its agent. */
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

export async function adoptRun(sessions: Sessions, session: SessionId, runId: string) {
  try {
    await sessions.execute(session, "adopt", { runId });
  } catch (error) {
    if (!isLate(error)) throw error;
  }
}

/** Settles a run whose processes are proved dead and whose output is journalled. */
async function afterDeath(sessions: Sessions, session: SessionId, runId: string): Promise<Settled> {
  const open = openRun(await sessions.state(session));
  if (open?.id !== runId || !isStale(sessions, open)) return "continued";
  const reason = "process_restart";
  const attempt = open.attempt.n;
  const { state } = await sessions.execute(session, "processDied", { runId, attempt, reason });
  const run = openRun(state);
  if (run?.id === runId) return run.waits.length > 0 ? "waiting" : "continued";
  return state.run?.outcome === "interrupted" ? "interrupted" : "continued";
}

async function within(
  { holders, clock, policy }: Recovering,
  session: SessionId,
  holderId: string,
): Promise<HolderLiveness> {
  const probed = holders.probe(session, holderId).catch((): HolderLiveness => "unknown");
  return (await inTime(clock, policy.holderProbe, probed)) ?? "unknown";
}

export async function each<T>(items: readonly T[], width: number, act: (item: T) => Promise<void>) {
  const left = items.values();
  const lane = async () => {
    for (const item of left) await act(item);
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, lane));
}
