/**
 * One owner per session. It decides on `pending`, in order; everyone else sees `durable`. A result
 * is answered, published or acted on only after it is durable. When an append fails, every decision
 * built on it fails with the same code, or is decided again if the store refused only that batch.
 */

import {
  type CommandInput,
  type CommandName,
  type Event,
  type EventBody,
  fold,
  HostError,
  type SessionId,
  type SessionState,
} from "@holdfast/protocol";
import { encodeStamped, wellFormed } from "@holdfast/protocol/schemas";
import { isoTime } from "../base/clock.ts";
import { type Policy, policyOf } from "../base/policy.ts";
import type { Appended, Batch, CursorMove, Head, Journal } from "../journal/journal.ts";
import { isEssential, onceFacts } from "./facts.ts";
import { headOf } from "./heads.ts";
import { rules } from "./rules/index.ts";
import type { Moment, Rule } from "./rules/rule.ts";

export interface Executed {
  readonly state: SessionState;
  /** Empty when the command was a repetition or had no effect. */
  readonly events: readonly Event[];
}

/** The stored state from which an owner starts, and restarts after a failed append. */
export interface OwnerState {
  readonly state: SessionState;
  readonly head: Head | null;
  readonly chain: number;
}

interface OwnerOptions {
  readonly session: SessionId;
  readonly journal: Journal;
  readonly policy: Policy;
  readonly load: () => Promise<OwnerState>;
  readonly moment: (state: SessionState) => Moment;
  readonly published: (session: SessionId, executed: Executed) => void;
}

export async function loadOwner(options: OwnerOptions): Promise<Owner> {
  return new Owner(options, await options.load());
}

export class Owner {
  durable: SessionState;
  /** Rolling checksum of the journal up to `durable.seq`. */
  chain: number;
  #pending: SessionState;
  #head: Head | null;
  /** The end of the append queue: settles when everything decided so far is durable or failed. */
  #tail: Promise<unknown> = Promise.resolve();
  #inFlight = 0;
  /** Set from a failed append until the state was read again; decisions wait meanwhile. */
  #reloading: PromiseWithResolvers<void> | null = null;
  /** Set while a batch without events is in flight; other commands wait for it. */
  #door: Promise<void> | null = null;
  readonly #options: OwnerOptions;

  constructor(options: OwnerOptions, { state, head, chain }: OwnerState) {
    this.#options = options;
    this.durable = state;
    this.chain = chain;
    this.#pending = state;
    this.#head = head;
  }

  get idle(): boolean {
    return this.#inFlight === 0 && this.#reloading === null && this.#door === null;
  }

  async execute<N extends CommandName>(
    name: N,
    input: CommandInput<N>,
    cursor?: CursorMove,
  ): Promise<Executed> {
    for (;;) {
      await this.#whenOpen();
      try {
        return await this.#execute(name, input, cursor);
      } catch (error) {
        if (!(error instanceof Inherited)) throw error;
        if (!error.ofItsOwn) throw error.cause;
      }
    }
  }

  /** Decides on the pending state. There must be no `await` before the decision is in the queue. */
  #execute<N extends CommandName>(
    name: N,
    input: CommandInput<N>,
    cursor: CursorMove | undefined,
  ): Promise<Executed> {
    const moment = this.#options.moment(this.#pending);
    const decision = (rules[name] as Rule<N>)(this.#pending, input, moment);
    if (decision instanceof HostError) return this.#answer(decision);
    if (decision.length > 0) return this.#append(decision, moment, cursor);
    return cursor === undefined ? this.#answer(null) : this.#appendAlone(cursor);
  }

  async refreshHead(): Promise<void> {
    await this.#appendAlone(undefined);
  }

  /** Answers after the pending state is durable, because an answer makes that state visible. */
  async #answer(refused: HostError | null): Promise<Executed> {
    const state = this.#pending;
    await this.#tail.catch((error: unknown) => {
      throw inherited(error);
    });
    if (refused !== null) throw refused;
    return { state, events: [] };
  }

  /**
   * Appends a batch without events. It does not move the seq, so its refusal would not stop later
   * batches. It is therefore sent alone: after all batches in flight, while new commands wait.
   */
  async #appendAlone(cursor: CursorMove | undefined): Promise<Executed> {
    await this.#tail.catch(() => undefined);
    await this.#whenOpen();
    const door = Promise.withResolvers<void>();
    this.#door = door.promise;
    try {
      // Uses the current pending state, because a batch in flight may have failed.
      return await this.#append([], this.#options.moment(this.#pending), cursor);
    } finally {
      this.#door = null;
      door.resolve();
    }
  }

  async #whenOpen(): Promise<void> {
    while (this.#reloading !== null || this.#door !== null) {
      await (this.#reloading?.promise ?? this.#door);
    }
  }

  #append(
    decided: readonly EventBody[],
    moment: Moment,
    cursor: CursorMove | undefined,
  ): Promise<Executed> {
    const expectedSeq = this.#pending.seq;
    const { state, events, text } = stamp(this.#pending, decided, moment.now);
    const head = this.#changedHead(state, moment.epoch);
    const once = onceFacts(decided);
    const batch: Batch = {
      session: this.#options.session,
      epoch: moment.epoch,
      expectedSeq,
      count: events.length,
      text,
      ...(head === null ? {} : { head }),
      ...(once.length === 0 ? {} : { once }),
      ...(cursor === undefined ? {} : { cursor }),
      essential: isEssential(decided),
    };
    this.#pending = state;
    const executed = { state, events };
    const appended = this.#options.journal.append(batch);
    const isAlone = this.#inFlight === 0 && this.#reloading === null;
    const inOrder = isAlone ? appended : afterEarlier(this.#tail, appended);
    const done = this.#settle(inOrder, executed);
    this.#tail = done;
    return done;
  }

  async #settle(appended: Promise<Appended>, executed: Executed): Promise<Executed> {
    this.#inFlight++;
    try {
      const { chain } = await appended;
      this.durable = executed.state;
      this.chain = chain;
    } catch (error) {
      this.#reloading ??= Promise.withResolvers();
      throw error;
    } finally {
      this.#inFlight--;
      if (this.#inFlight === 0 && this.#reloading !== null) void this.#reload(this.#reloading);
    }
    this.#options.published(this.#options.session, executed);
    return executed;
  }

  /**
   * Reads the journal again rather than trusting memory. If the store cannot be read, the last
   * durable state stays, and commands fail at the append with the store's error.
   */
  async #reload(reloading: PromiseWithResolvers<void>): Promise<void> {
    try {
      const { state, head, chain } = await this.#options.load();
      this.durable = state;
      this.chain = chain;
      this.#head = head;
    } catch {
      this.#head = null;
    }
    this.#pending = this.durable;
    this.#tail = Promise.resolve();
    this.#reloading = null;
    reloading.resolve();
  }

  #changedHead(state: SessionState, epoch: number): Head | null {
    const head = headOf(state, epoch, policyOf(state, this.#options.policy), this.#head);
    if (head === this.#head) return null;
    this.#head = head;
    return head;
  }
}

/** The failure of an earlier batch that this decision was built on. */
class Inherited extends Error {
  /** True when the store refused only that batch; later commands may be decided again. */
  readonly ofItsOwn: boolean;

  constructor(cause: unknown) {
    super("an earlier batch failed", { cause });
    const code = cause instanceof HostError ? cause.code : null;
    this.ofItsOwn = code === "already_done" || code === "cursor_conflict";
  }
}

function inherited(reason: unknown): Inherited {
  return reason instanceof Inherited ? reason : new Inherited(reason);
}

/** The outcome of an append, after that of all earlier ones. */
async function afterEarlier(
  before: Promise<unknown>,
  appended: Promise<Appended>,
): Promise<Appended> {
  const [earlier, result] = await Promise.allSettled([before, appended]);
  if (earlier.status === "rejected") throw inherited(earlier.reason);
  if (result.status === "rejected") throw result.reason;
  return result.value;
}

function stamp(from: SessionState, decided: readonly EventBody[], now: number) {
  const ts = isoTime(now);
  const events: Event[] = [];
  let state = from;
  let text = "";
  for (const body of decided) {
    const seq = state.seq + 1;
    let event = { seq, ts, ...body } as Event;
    let line = encodeStamped(event);
    // JSON writes a lone surrogate as an escape, so a line without `\ud` is well-formed.
    if (line.includes("\\ud")) {
      event = { seq, ts, ...wellFormed(body) } as Event;
      line = encodeStamped(event);
    }
    text += line;
    state = fold(state, event);
    events.push(event);
  }
  return { state, events, text };
}
