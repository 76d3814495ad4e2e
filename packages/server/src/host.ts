/** The only composition root; `wireHost` returns a recovered host, and listening comes after. */

import { randomBytes } from "node:crypto";
import { join, resolve } from "node:path";
import {
  type AgentCheckView,
  HostError,
  makeId,
  type PauseReason,
  type SessionId,
} from "@holdfast/protocol";
import type { Agent } from "./agents/agent.ts";
import { PinnedDefinitions } from "./agents/definitions/pinned-definitions.ts";
import { KnownAgents } from "./agents/known-agents.ts";
import type { AgentDefinition } from "./agents/table/table.ts";
import { Trials } from "./agents/trials.ts";
import { refuseUnfinishedBackup } from "./backup.ts";
import { type Clock, systemClock } from "./base/clock.ts";
import { defaultPolicy, type Policy } from "./base/policy.ts";
import { version } from "./base/version.ts";
import { SpareHolder } from "./holder/host-side/spare-holder.ts";
import { type Blobs, fileBlobs } from "./journal/blobs.ts";
import type { Journal } from "./journal/journal.ts";
import { journalFiles } from "./journal/sqlite/file/files.ts";
import { openSqliteJournal } from "./journal/sqlite/open.ts";
import { OpenedFiles } from "./opened-files.ts";
import type { AgentConnectionDeps } from "./runtime/agent-connection.ts";
import { Holders } from "./runtime/holders.ts";
import { InProcessAgents } from "./runtime/in-process-agents.ts";
import { type LiveLimits, liveLimits } from "./runtime/launch-queue.ts";
import { type PausedAll, pauseAll } from "./runtime/pause-all.ts";
import { Runtimes } from "./runtime/runtimes.ts";
import { BaseKeeper } from "./session/bases.ts";
import { completeHeads } from "./session/outdated-heads.ts";
import { type HolderRecovery, type RecoveryReport, recoverSessions } from "./session/recovery.ts";
import { Runner } from "./session/runner.ts";
import { Sessions } from "./session/sessions.ts";
import { sweep } from "./session/sweep.ts";
import { Watch } from "./session/watch.ts";
import { Workspaces } from "./workspace/workspaces.ts";

export interface HostOptions {
  readonly data: string;
  readonly agents?: readonly Agent[];
  /** Agents in their own processes, each in a holder that outlives this host. */
  readonly definitions?: readonly AgentDefinition[];
  /** Holders that replace those in `data`; the caller attends to their agents itself. */
  readonly holders?: HolderRecovery;
  /** Keeps one holder ready, so that launches are quick, at the price of one idle process. */
  readonly spareHolder?: boolean;
  /** Pauses all sessions before recovery, which ends their agents; starts no runs or sweep. */
  readonly onlyPauses?: boolean;
  /** Decides which tenants may work in directories of the host's user; by default all. */
  readonly mayWorkInPlace?: (tenant: string) => boolean;
  /** Umask for agents, if it differs from this process's. */
  readonly umask?: number;
  /** Directories in which git is searched, written like PATH; by default the system's own. */
  readonly gitPath?: string;
  readonly policy?: Partial<Policy>;
  readonly limits?: Partial<LiveLimits>;
  readonly clock?: Clock;
  readonly random?: (bytes: number) => Uint8Array;
  /** A store that replaces SQLite in `data`. */
  readonly journal?: Journal;
  readonly onToken?: (session: SessionId, runId: string, token: string) => void;
  readonly onError?: (session: SessionId | null, error: unknown) => void;
}

export interface HostParts {
  readonly bootId: string;
  readonly clock: Clock;
  readonly policy: Policy;
  readonly sessions: Sessions;
  readonly journal: Journal;
  readonly blobs: Blobs;
  readonly runner: Runner;
  readonly runtimes: Runtimes;
  readonly agents: KnownAgents;
  readonly workspaces: Workspaces;
  readonly openedFiles: OpenedFiles;
  readonly watch: Watch;
  readonly definitions: readonly AgentDefinition[];
  readonly recovery: RecoveryReport;
  readonly paused: PausedAll | null;
  /** Settles when heads of an older version are complete; lists may miss failures until then. */
  readonly headsCompleted: Promise<void>;
  checkAgent(name: string): Promise<AgentCheckView>;
  /** Sweeps now, as the periodic sweep does. */
  sweep(): Promise<void>;
  close(): Promise<number>;
}

export async function wireHost(options: HostOptions): Promise<HostParts> {
  checkOptions(options);
  // Resolved once: the process may change its working directory later.
  const data = resolve(options.data);
  const clock = options.clock ?? systemClock();
  const random = options.random ?? ((bytes) => randomBytes(bytes));
  const policy = { ...defaultPolicy, ...options.policy };
  const onError = options.onError ?? reportError;
  const umask = options.umask ?? process.umask();
  if (options.journal === undefined) refuseUnfinishedBackup(data);
  const journal = options.journal ?? (await openSqliteJournal({ dir: data }));
  const openedFiles = openedFilesOf(options.journal === undefined ? data : null);
  const blobs = fileBlobs(join(data, "blobs"));
  const bootId = makeId("boot", clock.now(), random(10));

  const sessions = new Sessions({ journal, clock, policy, bootId, random });
  const bases = new BaseKeeper({ sessions, journal, policy, onError });
  const definitions = options.definitions ?? [];
  const pinned = new PinnedDefinitions(join(data, "definitions"));
  const agents = new KnownAgents(options.agents ?? [], definitions, pinned, clock);
  const onToken = options.onToken ?? (() => undefined);
  const workspaces = new Workspaces({
    data,
    onError,
    pinned,
    mayWorkInPlace: options.mayWorkInPlace ?? (() => true),
    hasWorked: async ({ id, seq, runtime }) => {
      if (!runtime.seen) return false;
      const { runs } = await sessions.transcript(id as SessionId, seq);
      return runs.some(({ taken }) => taken.length > 0);
    },
    ...(options.gitPath === undefined ? {} : { gitPath: options.gitPath }),
  });
  const trials = new Trials({
    data,
    agents,
    pinned,
    version,
    umask,
    clock,
    limit: policy.agentReady,
    newId: () => sessions.newId("holder"),
  });
  const root = join(data, "holders");
  const agentConnectionDeps: AgentConnectionDeps = {
    sessions,
    clock,
    policy,
    blobs,
    random,
    onToken,
    onError,
    look: (state, written) => workspaces.look(state, written),
    mark: (state) => workspaces.mark(state),
    isFolderGone: (state) => workspaces.isGone(state),
    loginOf: (name) => agents.loginOf(name),
  };
  const holders = new Holders({
    onReconnected: (session) => runner.wake(session),
    ...agentConnectionDeps,
    ...(options.spareHolder === true ? { spare: new SpareHolder() } : {}),
    journal,
    root,
    version,
    umask,
    openedFiles,
    onError,
    contents: (state) => workspaces.contents(state),
  });
  const inProcess = new InProcessAgents({
    ...agentConnectionDeps,
    onGone: (session) => runner.wake(session),
  });
  const runtimes = new Runtimes({
    version,
    sessions,
    clock,
    policy,
    holders,
    inProcess,
    workspaces,
    onError,
    agents,
    attendsHolders: options.holders === undefined,
    limits: { ...liveLimits, ...options.limits },
  });
  const recovering = { sessions, journal, clock, policy, holders: options.holders ?? holders };
  const runner = new Runner({ sessions, clock, policy, runtimes, onError });

  const watch = new Watch(sessions, clock, onError);
  const closed = async (error: unknown) => {
    await journal.close();
    throw error;
  };
  // Paused first, because the outcome of an adopted run would start the next queued message.
  const paused = options.onlyPauses
    ? await pauseAll({ sessions, journal, onError }, (session) => runtimes.pause(session)).catch(
        closed,
      )
    : null;
  const recovery = await recoverSessions(recovering, onError).catch(closed);
  const idle = await holders.adoptIdle();
  await runtimes.countLiving();
  await trials.clear();
  sessions.graceUntil = clock.steady() + policy.deadlineGrace;
  if (paused === null) {
    runner.start([...recovery.continued, ...recovery.adopted, ...idle]);
    holders.prepareNext();
  }
  const closing = new AbortController();
  const headsCompleted = completeHeads(sessions, journal, onError, closing.signal).catch(
    (error: unknown) => onError(null, error),
  );

  const sweeping = {
    ...recovering,
    runner,
    watch,
    onError,
    adoptIdle: () => runtimes.adoptIdle(),
    pause: (session: SessionId, reason: PauseReason) => runtimes.pause(session, reason),
    mayFreeze: (agentName: string) => agents.mayFreeze(agentName),
    async onRemove(session: SessionId) {
      await blobs.remove(session);
      await workspaces.remove(session);
    },
  };
  const sweepOnce = async () => {
    openedFiles.leaveIfLost();
    await sweep(sweeping);
  };
  const periodic = paused === null ? repeat(clock, policy.sweep, sweepOnce, onError) : null;
  return {
    bootId,
    clock,
    policy,
    sessions,
    journal,
    blobs,
    runner,
    runtimes,
    agents,
    workspaces,
    openedFiles,
    watch,
    definitions,
    recovery,
    paused,
    headsCompleted,
    checkAgent: (name) => trials.check(name),
    sweep: sweepOnce,
    async close() {
      openedFiles.leaveIfLost();
      closing.abort();
      await periodic?.stop();
      await runner.stop();
      const left = await runtimes.close();
      await bases.settled();
      await headsCompleted;
      sessions.close();
      await journal.close();
      return left;
    },
  };
}

/** A store passed in by the caller is not watched. */
function openedFilesOf(data: string | null): OpenedFiles {
  if (data === null) return new OpenedFiles([]);
  const { lock, journal } = journalFiles(data);
  return new OpenedFiles([lock, journal, `${journal}-wal`]);
}

/** Callers may pass untyped options, and a duplicate agent name would shadow the first. */
function checkOptions({ data, agents = [], definitions = [] }: HostOptions): void {
  if (typeof data !== "string" || data === "" || data.includes("\0")) {
    throw new HostError("bad_input", "openHost needs `data`, the path of a directory.");
  }
  const names = new Set<string>();
  for (const { name } of [...agents, ...definitions]) {
    if (typeof name !== "string" || name === "") {
      throw new HostError("bad_input", "Every agent needs a name that is not empty.");
    }
    if (names.has(name)) {
      throw new HostError("bad_input", `Two agents are named "${name}". Rename one.`);
    }
    names.add(name);
  }
}

/** Calls `act` again `ms` after its last call has finished, so that calls never overlap. */
function repeat(
  clock: Clock,
  ms: number,
  act: () => Promise<void>,
  onError: (session: null, error: unknown) => void,
): { stop(): Promise<void> } {
  let stopped = false;
  let round: Promise<void> = Promise.resolve();
  let take: () => void;
  const schedule = () => {
    take = clock.after(ms, () => {
      round = act()
        .catch((error: unknown) => onError(null, error))
        .finally(() => {
          if (!stopped) schedule();
        });
    });
  };
  schedule();
  return {
    stop() {
      stopped = true;
      take();
      return round;
    },
  };
}

export function reportError(session: SessionId | null, error: unknown): void {
  const said = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`holdfast: ${session ?? "host"}: ${said}\n`);
}
