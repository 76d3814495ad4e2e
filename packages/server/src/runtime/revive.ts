/** One revive: adopts a living holder, thaws a frozen agent, or launches the agent anew. */

import {
  type Grade,
  HostError,
  openRun,
  type Receipt,
  type Rung,
  receiptFrom,
  type SessionId,
  type SessionState,
} from "@holdfast/protocol";
import type { Agent } from "../agents/agent.ts";
import type { Sessions } from "../session/sessions.ts";
import { noFindings, type WorkspaceFindings } from "../workspace/workspace-findings.ts";
import { type HolderLaunchDeps, type Launch, launchInHolder } from "./holder-launch.ts";
import type { InProcessAgents } from "./in-process-agents.ts";
import { type Recovered, receiptOf } from "./resume/receipt.ts";

export interface Revived {
  readonly rung: Rung;
  readonly ms: number;
  readonly grade: Grade | null;
  readonly receipt: Receipt | null;
}

export interface ReviveDeps extends HolderLaunchDeps {
  readonly inProcess: InProcessAgents;
  readonly onError: (session: SessionId, error: unknown) => void;
}

/** Null when the runtime was already up. */
export async function reviveSession(
  deps: ReviveDeps,
  session: SessionId,
  launch: Launch,
): Promise<Revived | null> {
  const { sessions, holders, agents, clock, workspaces } = deps;
  const { mode, started } = launch;
  const { signal: stopped } = launch.stop;
  const begun = clock.steady();
  const before = await sessions.state(session);
  const inProcess = agents.inProcess(before.agentName);
  if (inProcess !== undefined) return reviveInProcess(deps, session, inProcess, launch);
  const { holderId } = before.runtime;
  if (holderId !== null && holders.get(session) === undefined) {
    const taken = await holders.adoptOrSettle({ session, holderId }, "wanted");
    if (taken) {
      const receipt = await receiptSince(sessions, session, before.seq);
      return { rung: "adopted", ms: clock.steady() - begun, grade: null, receipt };
    }
  }
  const state = await sessions.state(session);
  const isConnected = holders.get(session) !== undefined;
  if (state.runtime.state === "frozen" && isConnected && mode !== "fresh") {
    await thaw(deps, session, state);
    return { rung: "live", ms: clock.steady() - begun, grade: null, receipt: null };
  }
  const agent = agents.installed(state.agentName);
  const isFirst = !state.runtime.seen && state.paused === null;
  if (isFirst && isConnected) return null;
  if (!isFirst) {
    const isIdle = isConnected && openRun(state) === null;
    const isFolderGone = isIdle && (await workspaces.isGone(state));
    const { events } = await sessions.execute(session, "revive", { mode, isFolderGone });
    if (events.length === 0) return null;
    started();
  }
  try {
    const { up, found, earlier } = await launchInHolder(deps, session, agent, launch, isFirst);
    const revived = { rung: up.rung, ms: clock.steady() - begun, grade: up.grade };
    if (isFirst) return { ...revived, receipt: null };
    const { state: now } = await sessions.execute(session, "revived", revived);
    const transcript = await sessions.transcript(session, now.seq, earlier);
    const recovered = { up, ms: revived.ms, run: now.run, transcript };
    return { ...revived, receipt: await issueReceipt(sessions, session, recovered, found) };
  } catch (failure) {
    throw await recordFailure(deps, session, stopped.aborted ? stopped.reason : failure);
  }
}

/** An agent in this process loads no session; only a revive that was asked for is recorded. */
async function reviveInProcess(
  deps: ReviveDeps,
  session: SessionId,
  agent: Agent,
  { mode, forRun, started }: Launch,
): Promise<Revived | null> {
  const { sessions, clock, inProcess } = deps;
  const begun = clock.steady();
  const isAsked = forRun === undefined;
  const asked = isAsked ? await sessions.execute(session, "revive", { mode }) : null;
  const isRecorded = asked !== null && asked.events.length > 0;
  const revived = { rung: "fresh", ms: clock.steady() - begun, grade: null } as const;
  if (isRecorded) {
    started();
    try {
      await sessions.execute(session, "revived", revived);
    } catch (failure) {
      throw await recordFailure(deps, session, failure);
    }
  }
  const state = await sessions.state(session);
  if (openRun(state) !== null) inProcess.open(session, agent);
  return isRecorded ? { ...revived, receipt: null } : null;
}

/** Records that a revive failed; returns the error for its callers. */
async function recordFailure(
  { sessions, closing, onError }: ReviveDeps,
  session: SessionId,
  error: unknown,
): Promise<HostError> {
  const known = error instanceof HostError ? error : null;
  const message = known?.message ?? (error instanceof Error ? error.message : String(error));
  const reason = { code: known?.code ?? "launch_failed", message: message.slice(0, 1000) };
  // Retried on a full disk, because the session would count as starting until a restart.
  await sessions
    .patiently(closing, () => sessions.execute(session, "reviveFailed", { error: reason }))
    .catch(() => undefined);
  if (known !== null) return known;
  onError(session, error);
  return new HostError("launch_failed", `The agent could not be started: ${message}`);
}

/** Issues the receipt of a revive; null for a session without messages. */
async function issueReceipt(
  sessions: Sessions,
  session: SessionId,
  recovered: Omit<Recovered, "found">,
  looking: Promise<WorkspaceFindings> | null,
): Promise<Receipt | null> {
  if (recovered.transcript.messages.length === 0) return null;
  const receipt = receiptOf({ ...recovered, found: (await looking) ?? noFindings });
  const { events } = await sessions.execute(session, "receipt", receipt);
  const issued = events.find((event) => event.kind === "receipt.issued");
  return issued === undefined ? null : receiptFrom(issued);
}

async function receiptSince(
  sessions: Sessions,
  session: SessionId,
  seq: number,
): Promise<Receipt | null> {
  const { transcript } = await sessions.open(session);
  return transcript.receipts.findLast((receipt) => receipt.seq > seq) ?? null;
}

async function thaw(
  { sessions, holders }: ReviveDeps,
  session: SessionId,
  { run, runtime }: SessionState,
): Promise<void> {
  if (run?.paused != null) {
    await sessions.execute(session, "unpauseRun", { runId: run.id, by: "revive" });
  }
  await holders.setFrozen(session, runtime, false);
}
