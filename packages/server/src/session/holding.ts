/**
 * The holders that this host has hold of: started, connected, taken over from an earlier life, put
 * away, and settled when they are proved dead. One for each session at most.
 */

import { mkdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import {
  HostError,
  openRun,
  type RuntimeState,
  type SessionId,
  type SessionState,
  type WorkspaceContents,
} from "@holdfast/protocol";
import { KnownTools } from "../agents/acp-tools.ts";
import type { Replay } from "../agents/replay.ts";
import type { Ground } from "../ground.ts";
import { endHolder, fateOf, killHolder, listHolders, signalAgent } from "../holder/fate.ts";
import { connectHolder, HolderRefused } from "../holder/link.ts";
import { readSpool, SpoolGap } from "../holder/read-spool.ts";
import type { SpareHolder } from "../holder/spare.ts";
import { spawnHolder } from "../holder/spawn.ts";
import type { Blobs } from "../journal/blobs.ts";
import { Hearing, Held, type HeldOptions } from "./held.ts";
import { inTime } from "./in-time.ts";
import { Ingest } from "./ingest.ts";
import { adoptRun, each, type Holders, holderExited, PARALLEL, type Verdict } from "./recovery.ts";
import { patiently } from "./refusals.ts";
import type { Sessions } from "./sessions.ts";

export interface HoldingOptions {
  /** Where holders have their directories. */
  readonly root: string;
  readonly version: string;
  /** That of agents. */
  readonly umask: number;
  /** A holder that waits for a launch, where launches are to be quick. */
  readonly spare?: SpareHolder | undefined;
  readonly ground: Ground;
  readonly sessions: Sessions;
  readonly blobs: Blobs;
  readonly random: (bytes: number) => Uint8Array;
  readonly onToken: (session: SessionId, runId: string, token: string) => void;
  readonly look: HeldOptions["look"];
  readonly mark: HeldOptions["mark"];
  readonly contents: (state: SessionState) => Promise<WorkspaceContents | null>;
  readonly loginOf: HeldOptions["loginOf"];
  readonly onError: (session: SessionId | null, error: unknown) => void;
}

/** Why a holder went that this journal could not be brought together with. */
const MISMATCH = "journal_mismatch";

/** Links that break within this time of each other break for one reason. */
const LOSS_MEMORY = 60_000;

/** Why a holder is taken over: someone wants its session, or it was left by an earlier life. */
type Why = "wanted" | "left";

export interface Place {
  readonly session: SessionId;
  readonly holderId: string;
}

export class Holding implements Holders {
  readonly #options: HoldingOptions;
  readonly #sessions: Sessions;
  readonly #held = new Map<SessionId, Held>();
  readonly #discarding = new Set<Promise<void>>();
  readonly #losses = new Map<SessionId, { readonly at: number; readonly times: number }>();
  readonly #turns = new Map<SessionId, Promise<void>>();
  readonly #leave: () => void;
  readonly #stop = new AbortController();

  constructor(options: HoldingOptions) {
    this.#options = options;
    this.#sessions = options.sessions;
    this.#leave = this.#sessions.onDurable((session, { events }) => {
      for (const event of events) {
        // A holder's directory is its spool: it goes once the journal says that the holder is over.
        if (event.kind === "holder.exited") this.#discard(event.holderId);
        if (event.kind === "session.ended") this.#end(session);
      }
    });
  }

  get size(): number {
    return this.#held.size;
  }

  get(session: SessionId): Held | undefined {
    return this.#held.get(session);
  }

  dir(holderId: string): string {
    return join(this.#options.root, holderId);
  }

  async probe(session: SessionId, holderId: string): Promise<Verdict> {
    const { runtime } = await this.#sessions.state(session);
    // Its agent was never ready: there is nothing to adopt, and a new launch begins anew.
    if (runtime.readyHolderId !== holderId) {
      return (await this.#kill(holderId)) ? "dead" : "unknown";
    }
    return fateOf(this.#made(holderId), this.#sessions.policy.holderProbe);
  }

  adopt(session: SessionId, holderId: string): Promise<void> {
    return this.#inTurn(session, () => this.#adopt({ session, holderId }, "left"));
  }

  drain(session: SessionId, holderId: string): Promise<void> {
    return this.#inTurn(session, () => this.#drain({ session, holderId }));
  }

  async #adopt({ session, holderId }: Place, why: Why): Promise<void> {
    const begun = this.#sessions.clock.steady();
    const cursor = await this.#sessions.journal.cursor(session, holderId);
    const tools = await this.#tools(session);
    const held = await this.#connect({ session, holderId }, cursor, { tools }).catch(
      (error: unknown) => this.#refused({ session, holderId }, error),
    );
    if (held === null) return;
    await held.caughtUp;
    if (held.hasExited) {
      await held.over;
      return;
    }
    const state = await this.#sessions.state(session);
    if (state.paused !== null && why === "left") {
      // A pause was cut short: what it began is done now, and the run stays as it is.
      await held.end("asked");
      return;
    }
    const run = openRun(state);
    if (run !== null) await adoptRun(this.#sessions, session, run.id);
    // A link that broke and was made again in this life is nothing that anyone need be told.
    if (state.runtime.epoch === this.#sessions.epoch) return;
    const ms = this.#sessions.clock.steady() - begun;
    await this.#sessions.execute(session, "revived", { rung: "adopted", ms });
  }

  /**
   * A holder that refuses a host for good has seen lives that this journal knows nothing of, since it
   * was restored. It cannot be taken over without a gap, so it goes, by proof, and its run with it.
   */
  async #refused(place: Place, error: unknown): Promise<null> {
    if (!(error instanceof HolderRefused)) throw error;
    this.#options.onError(place.session, error);
    await this.#settleKilled(place, MISMATCH);
    return null;
  }

  async contents(session: SessionId): Promise<WorkspaceContents | null> {
    return this.#options.contents(await this.#sessions.state(session));
  }

  async #drain({ session, holderId }: Place): Promise<void> {
    const cursor = await this.#sessions.journal.cursor(session, holderId);
    const ingest = new Ingest(
      {
        ...{ ...this.#options, session, holderId, cursor },
        // A full disk is an answer here: whoever settles it comes again.
        ...{ stopped: AbortSignal.abort(), tools: await this.#tools(session) },
      },
      deaf,
    );
    try {
      for (const frames of readSpool(this.dir(holderId), cursor)) await ingest.take(frames);
      await ingest.flush();
    } catch (error) {
      if (!(error instanceof SpoolGap)) throw error;
      // Spliced in behind a gap it would read as if nothing were missing: none of it is taken.
      this.#options.onError(session, error);
      await holderExited(this.#sessions, this, { session, holderId, reason: MISMATCH });
    }
  }

  /** Sessions whose holder may live, as their journal and the directories of holders have it. */
  async living(): Promise<(Place & { readonly tenant: string })[]> {
    const living: (Place & { readonly tenant: string })[] = [];
    for (const { holderId, sessionId } of listHolders(this.#options.root)) {
      const session = sessionId as SessionId;
      const state = await this.#sessions.state(session).catch(() => null);
      if (state?.runtime.holderId === holderId) {
        living.push({ session, holderId, tenant: state.tenant });
      }
    }
    return living;
  }

  /** What an earlier life left that no open run speaks of: idle agents, and holders nobody wants. */
  async adoptIdle(isBusy: (session: SessionId) => boolean = () => false): Promise<SessionId[]> {
    const adopted: SessionId[] = [];
    await each(listHolders(this.#options.root), PARALLEL, async ({ holderId, sessionId }) => {
      const session = sessionId as SessionId;
      try {
        if (!isBusy(session) && (await this.#settleIdle({ session, holderId })))
          adopted.push(session);
      } catch (error) {
        this.#options.onError(session, error);
      }
    });
    return adopted;
  }

  /** So that the next launch need not wait for a holder to load. */
  prepareNext(): void {
    this.#options.spare?.fill();
  }

  /** `replay` hears what its agent says until it is ready. */
  async spawn(place: Place, replay: Replay): Promise<Held> {
    const { root, version, umask, random, spare } = this.#options;
    const { policy } = this.#sessions;
    await spawnHolder({
      ...{ root, version, umask, spare, holderId: place.holderId, sessionId: place.session },
      nonce: Buffer.from(random(16)).toString("hex"),
      graceIdleMs: policy.holderIdle,
      graceOpenMs: policy.holderOpen,
    }).catch((error: Error) => {
      throw new HostError("launch_failed", error.message);
    });
    return this.#connect(place, 0, { replay });
  }

  /** True when it lives and is this host's now; false when it is proved dead, and settled. */
  takeOver(place: Place, why: Why = "left"): Promise<boolean> {
    return this.#inTurn(place.session, () => this.#takeOver(place, why));
  }

  async #takeOver({ session, holderId }: Place, why: Why): Promise<boolean> {
    const { runtime } = await this.#sessions.state(session);
    // Whoever was first has settled it.
    if (runtime.holderId !== holderId || this.#held.has(session)) return this.#held.has(session);
    const verdict = await this.probe(session, holderId);
    if (verdict === "unknown") {
      throw new HostError(
        "unreachable",
        "Its processes may still live somewhere; nothing may start yet. Try again in a while.",
      );
    }
    if (verdict === "alive") {
      await this.#adopt({ session, holderId }, why);
      return this.#held.has(session);
    }
    await this.#drain({ session, holderId });
    await holderExited(this.#sessions, this, { session, holderId, reason: "process_exit" });
    return false;
  }

  /** That holder, or whichever there is. */
  async putAway(session: SessionId, holderId?: string | null): Promise<void> {
    const held = this.#held.get(session);
    if (held === undefined || (holderId !== undefined && held.holderId !== holderId)) return;
    const { clock, policy } = this.#sessions;
    const ended = await inTime(
      clock,
      policy.killLimit,
      held.end("asked").then(() => true),
    );
    const { runtime } = await this.#sessions.state(session);
    if (ended === null || runtime.holderId === held.holderId) await this.abandon(held);
  }

  /** Kills a holder that did not come up or go down as it should, and settles what it left. */
  async abandon(place: Place): Promise<void> {
    const held = this.#held.get(place.session);
    if (held?.holderId === place.holderId) {
      held.drop();
      await held.over;
      if (this.#held.get(place.session) === held) this.#held.delete(place.session);
    }
    await this.#inTurn(place.session, () => this.#settleKilled(place));
  }

  async #settleKilled({ session, holderId }: Place, reason = "process_exit"): Promise<void> {
    const { runtime } = await this.#sessions.state(session);
    if (runtime.holderId !== holderId) return;
    if (!(await this.#kill(holderId))) {
      throw new HostError("unreachable", "Its agent was killed and is still not gone.");
    }
    await this.#drain({ session, holderId });
    await holderExited(this.#sessions, this, { session, holderId, reason });
  }

  /** One at a time for each session: two who settle the same holder would speak for it twice. */
  async #inTurn<T>(session: SessionId, act: () => Promise<T>): Promise<T> {
    const before = this.#turns.get(session) ?? Promise.resolve();
    const turn = before.then(act, act);
    const over = turn.then(
      () => undefined,
      () => undefined,
    );
    this.#turns.set(session, over);
    over.then(() => {
      if (this.#turns.get(session) === over) this.#turns.delete(session);
    });
    return turn;
  }

  /** Stops an agent and all it started in place, or lets them go on. */
  async freeze(session: SessionId, runtime: RuntimeState, still: boolean): Promise<void> {
    const { holderId, sandbox } = runtime;
    if (holderId === null || sandbox === null) return;
    const is = still ? "frozen" : "thawed";
    // What stands still is said to before it does, what moves afterwards: a crash in between errs on
    // the side of a frozen word for a moving agent, and the next look thaws it.
    if (!still) signalAgent(this.dir(holderId), "SIGCONT");
    await this.#sessions.execute(session, "sandbox", { sandboxId: sandbox.id, is });
    if (still) signalAgent(this.dir(holderId), "SIGSTOP");
  }

  /** Idle agents go with the host; open runs stay with their holders. Returns how many stay. */
  async close(): Promise<number> {
    this.#stop.abort();
    this.#options.spare?.end();
    let left = 0;
    await Promise.all(
      [...this.#held].map(async ([session, held]) => {
        if (openRun(await this.#sessions.state(session)) === null) return this.putAway(session);
        left++;
        held.close();
        return held.over;
      }),
    );
    this.#leave();
    await Promise.all(this.#discarding);
    return left;
  }

  async #connect(
    place: Place,
    cursor: number,
    { tools, replay }: { readonly tools?: KnownTools; readonly replay?: Replay },
  ): Promise<Held> {
    const { session, holderId } = place;
    const { epoch, policy } = this.#sessions;
    const hearing = new Hearing();
    const link = await connectHolder({
      ...{ dir: this.dir(holderId), epoch, acked: cursor, timeoutMs: policy.holderProbe },
      onReply: (reply) => hearing.onReply(reply),
      onRefused: (refused) => hearing.onRefused(refused),
    });
    const held = new Held(
      {
        ...{ ...this.#options, session, holderId, link, hearing, cursor },
        ...(replay === undefined ? {} : { replay }),
        onExit: (gone) => this.#exited(gone),
        onLost: (lost) => this.#lost(lost),
      },
      tools,
    );
    this.#held.set(session, held);
    return held;
  }

  async #exited(held: Held): Promise<void> {
    const { session, holderId } = held;
    // All it said is in the journal. It does not know that where the link was closed before the
    // acknowledgement, and would wait for a host until its grace is over.
    if (!(await endHolder(this.dir(holderId)))) {
      this.#options.onError(session, new Error(`Holder ${holderId} was killed and is not gone.`));
    }
    if (this.#held.get(session) === held) this.#held.delete(session);
    const gone = { session, holderId, reason: "process_exit" };
    await this.#patiently(held, () => holderExited(this.#sessions, this, gone));
  }

  /** Nobody comes again for what a full disk refuses here, so it is tried until it fits. */
  #patiently<T>({ stopped }: Held, act: () => Promise<T>): Promise<T> {
    return patiently(this.#sessions, AbortSignal.any([stopped, this.#stop.signal]), act);
  }

  /** The link broke: its holder lives and is taken over again, or is proved dead and settled. */
  async #lost(held: Held): Promise<void> {
    const { session, holderId } = held;
    // Taken over by a newer link of this very host: that one goes on.
    if (this.#held.get(session) !== held) return;
    this.#held.delete(session);
    if (held.stopped.aborted) return;
    await this.#pauseBetween(session);
    try {
      await this.#patiently(held, () => this.takeOver({ session, holderId }));
    } catch (error) {
      this.#options.onError(session, error);
      await this.#patiently(held, () => this.#sayUnreachable({ session, holderId }));
    }
  }

  /** The sweep asks again. */
  async #sayUnreachable({ session, holderId }: Place): Promise<void> {
    const run = openRun(await this.#sessions.state(session));
    if (run === null) return;
    await this.#sessions.execute(session, "unreachable", { runId: run.id, holderId });
  }

  /** A link that breaks again and again is not made anew in a tight loop. */
  async #pauseBetween(session: SessionId): Promise<void> {
    const { clock } = this.#sessions;
    const now = clock.steady();
    const { at, times } = this.#losses.get(session) ?? { at: 0, times: 0 };
    const again = now - at < LOSS_MEMORY ? times + 1 : 0;
    this.#losses.set(session, { at: now, times: again });
    if (this.#losses.size > 1000) this.#losses.clear();
    if (again === 0) return;
    const ms = Math.min(100 * 2 ** again, LOSS_MEMORY / 2);
    await new Promise<void>((resolve) => void clock.after(ms, resolve));
  }

  async #settleIdle({ session, holderId }: Place): Promise<boolean> {
    const state = await this.#sessions.state(session).catch((error: unknown) => {
      if (error instanceof HostError && error.code === "session_not_found") return null;
      throw error;
    });
    if (state === null || state.runtime.holderId !== holderId) {
      if (await this.#kill(holderId)) this.#discard(holderId);
      return false;
    }
    if (openRun(state) !== null || this.#held.has(session)) return false;
    if (state.ended !== null) await this.#kill(holderId);
    return this.takeOver({ session, holderId });
  }

  #end(session: SessionId): void {
    this.putAway(session).catch((error: unknown) => this.#options.onError(session, error));
  }

  /** What the journal knows of the calls of the run that goes on. */
  async #tools(session: SessionId): Promise<KnownTools> {
    const state = await this.#sessions.state(session);
    const run = openRun(state);
    if (run === null) return new KnownTools();
    const { messages } = await this.#sessions.transcript(session, state.seq);
    const answer = messages.findLast(({ role, runId }) => role === "assistant" && runId === run.id);
    return KnownTools.of((answer?.contentParts ?? []).filter((part) => part.type === "tool"));
  }

  #kill(holderId: string): Promise<boolean> {
    return killHolder(this.#made(holderId));
  }

  /** A life that ended before it made the directory started nothing: there its tombstone goes. */
  #made(holderId: string): string {
    // Where another host may be by now, nothing is this one's to make or to kill.
    this.#options.ground.mustBeOurs();
    const dir = this.dir(holderId);
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    return dir;
  }

  #discard(holderId: string): void {
    // A holder that is just leaving may still write its last line there.
    const patient = { maxRetries: 10, retryDelay: 20 };
    const gone = rm(this.dir(holderId), { recursive: true, force: true, ...patient })
      .catch((error: unknown) => this.#options.onError(null, error))
      .finally(() => this.#discarding.delete(gone));
    this.#discarding.add(gone);
  }
}

/** A dead holder's spool: there is nobody to tell. */
const deaf = {
  durable: () => undefined,
  answer: () => undefined,
  prompted: () => undefined,
  refuse: () => undefined,
  exited: () => undefined,
  broken: () => undefined,
};
