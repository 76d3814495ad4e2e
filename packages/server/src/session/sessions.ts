/** All sessions of this host, each with an owner that is loaded when needed, dropped when idle. */

import {
  type CommandInput,
  type CommandName,
  type Event,
  emptyState,
  emptyTranscript,
  foldAll,
  HostError,
  type IntentName,
  isId,
  makeId,
  type NewId,
  type SessionId,
  type SessionState,
  type Transcript,
  transcriptOf,
  unpackFolded,
} from "@holdfast/protocol";
import { decodeEvents, intents } from "@holdfast/protocol/schemas";
import type { Clock } from "../base/clock.ts";
import { type Policy, policyOf } from "../base/policy.ts";
import type { Base, CursorMove, Journal, Standing } from "../journal/journal.ts";
import { type Followed, Followers, type FollowOptions } from "./follow.ts";
import { type Executed, loadOwner, type Owner, type OwnerState } from "./owner.ts";
import { isFull } from "./refusals.ts";
import type { Moment } from "./rules/rule.ts";

interface SessionsOptions {
  readonly journal: Journal;
  readonly clock: Clock;
  readonly policy: Policy;
  readonly bootId: string;
  readonly random: (bytes: number) => Uint8Array;
}

type DurableListener = (session: SessionId, executed: Executed) => void;

/** A transcript that was read before, with the seq of its last event. */
export interface EarlierTranscript {
  readonly seq: number;
  readonly transcript: Transcript;
}

/** Sessions for callers, who may give intents alone. */
export type CallerSessions = Omit<Sessions, "execute">;

export class Sessions {
  readonly bootId: string;
  readonly newId: NewId;
  readonly #journal: Journal;
  readonly #clock: Clock;
  readonly #policy: Policy;
  /** Deadlines of earlier boots fire no sooner; set when the host is ready. */
  graceUntil = Number.POSITIVE_INFINITY;
  readonly #owners = new Map<SessionId, Promise<Owner>>();
  readonly #used = new Map<SessionId, number>();
  readonly #listeners = new Set<DurableListener>();
  readonly #followers: Followers;

  constructor(options: SessionsOptions) {
    this.#journal = options.journal;
    this.#clock = options.clock;
    this.#policy = options.policy;
    this.bootId = options.bootId;
    this.newId = (kind) => makeId(kind, options.clock.now(), options.random(10));
    this.#followers = new Followers(options.journal, options.clock);
  }

  get epoch(): number {
    return this.#journal.epoch;
  }

  async ask<N extends IntentName>(
    session: SessionId,
    name: N,
    input: CommandInput<N>,
  ): Promise<Executed> {
    if (!Object.hasOwn(intents, name)) {
      throw new HostError("bad_input", `A caller cannot give the command "${String(name)}".`);
    }
    return this.execute(session, name, input);
  }

  /** Decides a command and appends its events, with `cursor`: the only way to change a session. */
  async execute<N extends CommandName>(
    session: SessionId,
    name: N,
    input: CommandInput<N>,
    cursor?: CursorMove,
  ): Promise<Executed> {
    if (name === "create" && (input as CommandInput<"create">)?.sessionId !== session) {
      throw new HostError("bad_input", `create: sessionId must be ${session}, the session itself.`);
    }
    const owner = await this.#owner(session);
    if (name !== "create") this.#refuseUnknown(session, owner);
    try {
      return await owner.execute(name, input, cursor);
    } catch (error) {
      return this.#repeated(session, name, input, error);
    }
  }

  /** Retries `act` while the disk is full; the agent waits, and its output is kept. */
  async patiently<T>(stopped: AbortSignal, act: () => Promise<T>): Promise<T> {
    for (;;) {
      await this.#journal.whenReady();
      try {
        return await act();
      } catch (error) {
        if (!isFull(error) || stopped.aborted) throw error;
        await new Promise<void>((resolve) => {
          this.#clock.after(this.#policy.fullRetry, resolve);
          stopped.addEventListener("abort", () => resolve(), { once: true });
        });
      }
    }
  }

  async state(session: SessionId): Promise<SessionState> {
    return (await this.#onDisk(session)).durable;
  }

  /** The state, its transcript, and the checksum from which a client goes on. */
  async open(
    session: SessionId,
  ): Promise<{ state: SessionState; chain: number; transcript: Transcript }> {
    for (let tries = 0; ; tries++) {
      const { durable: state, chain } = await this.#onDisk(session);
      try {
        return { state, chain, transcript: await this.transcript(session, state.seq) };
      } catch (error) {
        // Retention trimmed events of this state during the read; the second try uses the newer
        // state.
        if (tries > 0 || !isBelowRetention(error)) throw error;
      }
    }
  }

  /** With an earlier transcript, only newer events are read. */
  async transcript(
    session: SessionId,
    upTo: number,
    earlier: EarlierTranscript | null = null,
  ): Promise<Transcript> {
    if (earlier !== null) {
      try {
        return transcriptOf(await this.#events(session, earlier.seq, upTo), earlier.transcript);
      } catch (error) {
        if (!isBelowRetention(error)) throw error;
      }
    }
    return this.#fromBase(session, async (base) => {
      const usable = base !== null && base.seq <= upTo;
      const from = usable ? unpackFolded(base.transcript, emptyTranscript) : emptyTranscript;
      return transcriptOf(await this.#events(session, usable ? base.seq : 0, upTo), from);
    });
  }

  follow(session: SessionId, after: number, options?: FollowOptions): AsyncGenerator<Followed> {
    return this.#followers.follow(session, after, options);
  }

  followers(session: SessionId): number {
    return this.#followers.count(session);
  }

  close(): void {
    this.#followers.close();
  }

  /** Called after each durable batch, in order, with the state on disk. Must not throw. */
  onDurable(listener: DurableListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  moment(state: SessionState): Moment {
    return {
      now: this.#clock.now(),
      steady: this.#clock.steady(),
      graceUntil: this.graceUntil,
      epoch: this.epoch,
      bootId: this.bootId,
      newId: this.newId,
      policy: policyOf(state, this.#policy),
    };
  }

  /** Writes the session's head if it differs from the one derived from the journal. */
  async refreshHead(session: SessionId): Promise<void> {
    await (await this.#known(session)).refreshHead();
  }

  /** Deletes an ended session for good. The caller has checked its retention time. */
  async remove(session: SessionId): Promise<void> {
    const owner = await this.#known(session);
    if (owner.durable.ended === null) {
      throw new HostError("already_running", "Only an ended session can be removed; end it first.");
    }
    this.#owners.delete(session);
    this.#used.delete(session);
    await this.#journal.remove(session);
    // Remaining followers read once more and get `session_not_found`.
    this.#followers.wake(session);
  }

  /** Drops states that were not used for a while; they are rebuilt from base and tail. */
  async dropIdle(): Promise<number> {
    const oldest = this.#clock.steady() - this.#policy.idleStateAge;
    let dropped = 0;
    for (const [session, used] of this.#used) {
      const crowded = this.#used.size > this.#policy.idleStates;
      if (used > oldest && !crowded) break;
      const owner = await this.#owners.get(session);
      if (owner === undefined || !owner.idle || this.#used.get(session) !== used) continue;
      this.#owners.delete(session);
      this.#used.delete(session);
      dropped++;
    }
    return dropped;
  }

  get loaded(): number {
    return this.#owners.size;
  }

  /** The owner of an existing session; unknown sessions are not kept in memory. */
  async #known(session: SessionId): Promise<Owner> {
    const owner = await this.#owner(session);
    this.#refuseUnknown(session, owner);
    return owner;
  }

  #refuseUnknown(session: SessionId, owner: Owner): void {
    if (owner.durable.seq > 0 || !owner.idle) return;
    this.#owners.delete(session);
    this.#used.delete(session);
    throw notFound();
  }

  /** The owner of a durable session; a session whose creation is in flight counts as not found. */
  async #onDisk(session: SessionId): Promise<Owner> {
    const owner = await this.#known(session);
    if (owner.durable.seq === 0) throw notFound();
    return owner;
  }

  #owner(session: SessionId): Promise<Owner> {
    // Deleting first keeps the map in order of last use.
    this.#used.delete(session);
    this.#used.set(session, this.#clock.steady());
    const known = this.#owners.get(session);
    if (known !== undefined) return known;
    const loading = this.#load(session);
    this.#owners.set(session, loading);
    loading.catch(() => {
      this.#owners.delete(session);
      this.#used.delete(session);
    });
    return loading;
  }

  async #load(session: SessionId): Promise<Owner> {
    if (!isId("session", session)) throw notFound();
    return loadOwner({
      session,
      journal: this.#journal,
      policy: this.#policy,
      load: () => this.#standing(session),
      moment: (state) => this.moment(state),
      published: (id, executed) => this.#publish(id, executed),
    });
  }

  async #standing(session: SessionId): Promise<OwnerState> {
    const standing = await this.#journal.standing(session);
    if (standing === null) return { state: emptyState, head: null, chain: 0 };
    const { head, chain } = standing;
    return { state: await this.#rebuild(standing), head, chain };
  }

  async #rebuild({ session, seq }: Standing): Promise<SessionState> {
    return this.#fromBase(session, async (base) => {
      const from = base === null ? emptyState : unpackFolded(base.state, emptyState);
      return foldAll(await this.#events(session, from.seq, seq), from);
    });
  }

  /** Reads from the base; retries once if retention trimmed events in between. */
  async #fromBase<T>(session: SessionId, read: (base: Base | null) => Promise<T>): Promise<T> {
    const base = await this.#journal.base(session);
    try {
      return await read(base);
    } catch (error) {
      const newer = await this.#journal.base(session);
      if (!isBelowRetention(error) || newer === null || newer.seq <= (base?.seq ?? 0)) throw error;
      return read(newer);
    }
  }

  async #events(session: SessionId, after: number, upTo: number): Promise<Event[]> {
    const events: Event[] = [];
    for (let cursor = after; cursor < upTo; ) {
      const slice = await this.#journal.read(session, cursor, 1000);
      if (slice === null) break;
      for (const event of decodeEvents(slice.bytes)) if (event.seq <= upTo) events.push(event);
      cursor = slice.firstSeq + slice.count - 1;
    }
    return events;
  }

  /** Answers a command that repeats an old one: the store still has its once-only fact. */
  async #repeated<N extends CommandName>(
    session: SessionId,
    name: N,
    input: CommandInput<N>,
    error: unknown,
  ): Promise<Executed> {
    if (!(error instanceof HostError)) throw error;
    // A refused creation leaves no session to answer from.
    const { durable: state } = await this.#known(session).catch(() => {
      throw error;
    });
    if (name === "prompt" && error.code === "already_done") return { state, events: [] };
    if (name === "resumeWait" && (await this.#resumedBefore(session, input))) {
      return { state, events: [] };
    }
    throw error;
  }

  /** Only for an owner's key; a token is checked every time. */
  async #resumedBefore(session: SessionId, input: unknown): Promise<boolean> {
    const { key, runId, token } = input as CommandInput<"resumeWait">;
    if (key === undefined || token !== undefined) return false;
    const seq = await this.#journal.fact(session, { name: "command", key });
    if (seq === null) return false;
    // The fact's seq is that of its batch's last event, and a batch that resumes has few events.
    const events = await this.#events(session, Math.max(0, seq - 16), seq);
    return events.some((e) => e.kind === "run.resumed" && e.key === key && e.runId === runId);
  }

  #publish(session: SessionId, executed: Executed): void {
    for (const listener of this.#listeners) {
      try {
        listener(session, executed);
      } catch (error) {
        // The command is durable and must be answered; a listener that throws is a separate bug.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}

function isBelowRetention(error: unknown): boolean {
  return error instanceof HostError && error.code === "below_retention";
}

function notFound(): HostError {
  return new HostError("session_not_found", "Session not found");
}
