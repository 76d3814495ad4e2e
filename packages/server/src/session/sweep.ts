/** The periodic sweep, by which alone time changes sessions: due heads, and open runs. */

import {
  HostError,
  openRun,
  type PauseReason,
  type SessionId,
  type SessionState,
} from "@holdfast/protocol";
import { foldDetail } from "./bases.ts";
import { each, isUnsettled, PARALLEL, type Recovering, settle } from "./recovery.ts";
import { isLate } from "./refusals.ts";
import { launchOverdue } from "./rules/attempts.ts";
import { detailDue, removalDue, ttlDue } from "./rules/history.ts";
import { idlePauseDue } from "./rules/lifecycle.ts";
import type { Moment } from "./rules/rule.ts";
import { unwatched } from "./rules/runs.ts";
import { dueWaits } from "./rules/waits.ts";
import type { Runner } from "./runner.ts";
import type { Sessions } from "./sessions.ts";
import type { Watch } from "./watch.ts";

interface SweepOptions extends Recovering {
  readonly runner: Runner;
  readonly watch: Watch;
  /** Adopts or settles holders that this host is not connected to. */
  readonly adoptIdle: () => Promise<void>;
  readonly pause: (session: SessionId, reason: PauseReason) => Promise<void>;
  readonly mayFreeze: (agentName: string) => boolean;
  readonly onRemove: (session: SessionId) => Promise<void>;
  readonly onError: (session: SessionId | null, error: unknown) => void;
}

const AT_ONCE = 500;

export async function sweep(options: SweepOptions): Promise<void> {
  const { sessions, journal, clock, onError } = options;
  const due = await journal.due(clock.steady(), AT_ONCE);
  const open = await journal.opened();
  const whole = open.filter(({ damage }) => damage === undefined).map(({ session }) => session);
  // Probes run in parallel, because each may take its full time.
  await each(whole, PARALLEL, (session) =>
    settleAgain(options, session).catch((error: unknown) => onError(session, error)),
  );
  const all = new Set(
    [...due, ...open].filter(({ damage }) => damage === undefined).map((s) => s.session),
  );
  // A session that is slow or cannot be swept must not block the others.
  await each([...all], PARALLEL, (session) =>
    sweepOne(options, session).catch((error: unknown) => onError(session, error)),
  );
  await options.adoptIdle();
  await sessions.dropIdle();
}

/** Settles runs that boot could not: lost holders, and sessions whose settling failed. */
async function settleAgain(options: SweepOptions, session: SessionId): Promise<void> {
  const { sessions, runner } = options;
  const state = await sessions.state(session);
  const run = openRun(state);
  if (run === null || !isUnsettled(sessions, state, run)) return;
  try {
    await settle(options, session);
  } catch (error) {
    // The runner was faster: a decision has just let the run go on.
    if (!isLate(error)) throw error;
  }
  runner.wake(session);
}

async function sweepOne(options: SweepOptions, session: SessionId): Promise<void> {
  const { sessions, runner } = options;
  const state = await sessions.state(session);
  const at = sessions.moment(state);
  const run = openRun(state);
  if (run !== null) {
    for (const wait of dueWaits(run, at)) {
      await expire(sessions, session, run.id, wait.id);
    }
    if (unwatched(run, options.watch.unseen(session), at)) {
      return abandon(options, session, state, at);
    }
    const silence = runner.silence(session);
    if (silence === null) return;
    if (launchOverdue(state, silence, at)) {
      await runner.giveUp(session, "The agent did not respond to the message.");
    } else if (silence >= at.policy.silenceNotice) {
      await sessions.execute(session, "notice", { runId: run.id });
    }
    return;
  }
  if (removalDue(state, at)) {
    await options.onRemove(session);
    await sessions.remove(session);
  } else if (ttlDue(state, at)) {
    await sessions.execute(session, "end", { reason: "ttl" });
  } else if (idlePauseDue(state, at)) {
    await options.pause(session, "idle");
  } else if (detailDue(state, at)) {
    await foldDetail(options, session);
  }
}

async function abandon(
  { sessions, mayFreeze, pause }: SweepOptions,
  session: SessionId,
  { run, runtime, agentName }: SessionState,
  at: Moment,
): Promise<void> {
  const runId = run?.id ?? "";
  if (at.policy.unwatchedCancel > 0) {
    await sessions.execute(session, "cancel", { runId, by: "unwatched" });
  } else if (runtime.holderId === null) {
    // Only an agent in a holder can be frozen.
    return;
  } else if (mayFreeze(agentName)) {
    await sessions.execute(session, "pauseRun", { runId, reason: "abandoned" });
  } else {
    // The agent is ended instead and its own session kept; the run goes on when a follower returns.
    await pause(session, "abandoned");
  }
}

async function expire(sessions: Sessions, session: SessionId, runId: string, waitId: string) {
  try {
    await sessions.execute(session, "expireWait", { runId, waitId });
  } catch (error) {
    // The wait was answered meanwhile, or ended with another wait of the same run.
    if (!(error instanceof HostError) || error.spec.over === undefined) throw error;
  }
}
