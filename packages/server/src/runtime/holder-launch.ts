/** Launches a session's agent in a new holder, and journals each step before the next. */

import { HostError, openRun, type SessionId, type SessionState } from "@holdfast/protocol";
import { Replay } from "../agents/acp/replay.ts";
import type { KnownAgents } from "../agents/known-agents.ts";
import type { AgentDefinition, AgentPlace } from "../agents/table/table.ts";
import { unwritableDirectories } from "../agents/table/unwritable-directories.ts";
import type { Clock } from "../base/clock.ts";
import { inTime } from "../base/in-time.ts";
import type { Policy } from "../base/policy.ts";
import type { EarlierTranscript, Sessions } from "../session/sessions.ts";
import { writtenIn } from "../workspace/short-files.ts";
import type { WorkspaceFindings } from "../workspace/workspace-findings.ts";
import type { Workspaces } from "../workspace/workspaces.ts";
import type { Holders } from "./holders.ts";
import { startAgent } from "./launch.ts";
import type { LivePlaces } from "./live-places.ts";
import type { StartedAgent } from "./resume/started-agent.ts";

export type ReviveMode = "revive" | "continue" | "fresh";

export interface HolderLaunchDeps {
  readonly version: string;
  readonly sessions: Sessions;
  readonly clock: Clock;
  readonly policy: Policy;
  readonly holders: Holders;
  readonly workspaces: Workspaces;
  readonly agents: KnownAgents;
  readonly places: LivePlaces;
  /** Aborted when the host closes. */
  readonly closing: AbortSignal;
}

export interface Launch {
  readonly mode: ReviveMode;
  /** The only run that needs this launch; its cancel stops the launch. */
  forRun: string | undefined;
  /** The holder whose agent is starting; null before, and once the agent may take prompts. */
  starting: string | null;
  readonly started: () => void;
  /** Resolves when the receipt of the launch is durable, or the launch has failed. */
  readonly receipted: Promise<void>;
  /** Stops the launch on a pause, an end, or a cancel of its run. */
  readonly stop: AbortController;
}

interface Launched {
  readonly up: StartedAgent;
  readonly found: Promise<WorkspaceFindings> | null;
  /** The transcript that the agent's memory was compared with; null when it started fresh. */
  readonly earlier: EarlierTranscript | null;
}

interface Prepared {
  readonly holderId: string;
  readonly state: SessionState;
  readonly place: AgentPlace;
}

export async function launchInHolder(
  deps: HolderLaunchDeps,
  session: SessionId,
  agent: AgentDefinition,
  launch: Launch,
  isFirst: boolean,
): Promise<Launched> {
  const { sessions, holders, places } = deps;
  if (holders.get(session) !== undefined) await holders.end(session);
  const holderId = sessions.newId("holder");
  await places.take({ session, holderId }, launch.started, launch.stop.signal);
  let prepared: Prepared;
  try {
    prepared = await prepare(deps, session, agent, launch, holderId);
  } catch (error) {
    // No holder was launched whose exit would free the place.
    places.free(holderId);
    throw error;
  }
  launch.started();
  try {
    return await start(deps, session, agent, launch, prepared, isFirst);
  } catch (error) {
    await holders.killAndSettle({ session, holderId });
    throw error;
  }
}

async function prepare(
  { sessions, workspaces, closing }: HolderLaunchDeps,
  session: SessionId,
  agent: AgentDefinition,
  { forRun, stop }: Launch,
  holderId: string,
): Promise<Prepared> {
  const state = await withLoss(sessions, workspaces, session);
  const place = await workspaces.prepare(state);
  await mustBeWritable(agent, place);
  if (state.runtime.sandbox === null || state.runtime.sandbox.state === "gone") {
    const sandboxId = sessions.newId("sandbox");
    await sessions.execute(session, "sandbox", { sandboxId, is: "ready" });
  }
  if (closing.aborted) throw new HostError("launch_failed", "The host is stopping.");
  stop.signal.throwIfAborted();
  const wanted = forRun === undefined ? {} : { runId: forRun };
  await sessions.execute(session, "launchHolder", { holderId, ...wanted });
  return { holderId, state, place };
}

async function start(
  deps: HolderLaunchDeps,
  session: SessionId,
  agent: AgentDefinition,
  launch: Launch,
  { holderId, state, place }: Prepared,
  isFirst: boolean,
): Promise<Launched> {
  const { version, sessions, clock, policy, holders, workspaces, agents } = deps;
  const { mode } = launch;
  const { signal: stopped } = launch.stop;
  const replay = new Replay();
  launch.starting = holderId;
  const { connection, link } = await holders.start({ session, holderId }, replay);
  stopped.throwIfAborted();
  // The agent starts while the transcript is read.
  link.launch(agent.launch(place));
  const isFresh = mode === "fresh";
  const transcript = isFresh ? null : await sessions.transcript(session, state.seq);
  const starting = startAgent({
    connection,
    link,
    agent,
    place,
    clock,
    version,
    model: openRun(state)?.model ?? state.model,
    isNew: state.runtime.agentSessionId === null,
    known: isFresh ? null : state.runtime.agentSessionId,
    transcript,
    replay,
  }).finally(() => {
    const { models } = connection;
    if (models !== null) agents.offered(state, models.offer);
  });
  // Reads the workspace during the agent's start, which takes longer; a first launch has
  // nothing to compare. It never rejects, so a failed start may ignore it.
  const written = transcript === null ? [] : writtenIn(transcript);
  const found = isFirst ? null : workspaces.look(state, written);
  const limit = policy.agentReady;
  const up = await inTime(clock, limit, starting);
  if (up === null) {
    throw new HostError("launch_failed", `The agent did not answer in ${limit / 1000} s.`);
  }
  stopped.throwIfAborted();
  await retire(sessions, session, state, up, mode);
  // Recorded before the agent is ready, because later output counts as new.
  if (up.recovered !== null) await sessions.execute(session, "recover", up.recovered);
  stopped.throwIfAborted();
  // The agent is up: a cancel of the run leaves it idle for the next prompt.
  launch.forRun = undefined;
  launch.starting = null;
  await connection.ready(up, found, launch.receipted);
  holders.prepareNext();
  return { up, found, earlier: transcript === null ? null : { seq: state.seq, transcript } };
}

/** Journals the loss of the session's folder before `prepare` makes an empty one in its place. */
async function withLoss(
  sessions: Sessions,
  workspaces: Workspaces,
  session: SessionId,
): Promise<SessionState> {
  const state = await sessions.state(session);
  const what = await workspaces.lossOf(state);
  if (what === null) return state;
  return (await sessions.execute(session, "loseWorkspace", { what })).state;
}

/** Retires an agent session id that the agent refused or that a fresh start replaced. */
async function retire(
  sessions: Sessions,
  session: SessionId,
  before: SessionState,
  up: StartedAgent,
  mode: ReviveMode,
): Promise<void> {
  const { agentSessionId } = before.runtime;
  const reason = up.refused?.reason ?? (mode === "fresh" ? "started fresh" : null);
  if (agentSessionId !== null && reason !== null) {
    const retired = { agentSessionId, reason: reason.slice(0, 200) };
    await sessions.execute(session, "retireAgentSession", retired);
  }
}

/** Refuses an agent that cannot save its sessions and would forget all on a restart. */
async function mustBeWritable(agent: AgentDefinition, place: AgentPlace): Promise<void> {
  const [dir] = await unwritableDirectories(agent, place);
  if (dir === undefined) return;
  throw new HostError(
    "launch_failed",
    `The agent keeps its sessions in ${dir}, which is not writable. Make it writable, or set "home": "private" for this agent in config.json.`,
  );
}
