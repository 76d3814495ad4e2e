/** One session followed over a socket, from its own position, in turns with the others. */

import { HostError, type SessionId } from "@holdfast/protocol";
import { cursorAhead, refusalError } from "../../journal/store-refusal.ts";
import { endMessage, failureMessage, type LastMessage } from "../last-message.ts";
import { Position } from "../position.ts";
import type { Streams } from "../streams.ts";
import type { Outbox } from "./outbox.ts";
import { eventsMessage, resetMessage } from "./socket-messages.ts";

interface SubscriptionOptions {
  readonly streams: Streams;
  readonly outbox: Outbox;
  readonly session: SessionId;
  /** Without it, the subscription starts at the head. */
  readonly after: number | undefined;
}

export class Subscription {
  readonly #streams: Streams;
  readonly #session: SessionId;
  readonly #outbox: Outbox;
  readonly #position: Position;
  readonly #head: number;
  readonly #abort = new AbortController();

  private constructor(
    { streams, outbox, session }: SubscriptionOptions,
    at: Position,
    head: number,
  ) {
    this.#streams = streams;
    this.#session = session;
    this.#outbox = outbox;
    this.#position = at;
    this.#head = head;
  }

  /** Throws for an unknown session, and for an `after` beyond the head. */
  static async open(options: SubscriptionOptions): Promise<Subscription> {
    const { streams, session, after } = options;
    const head = await streams.journal.standing(session);
    if (head === null) throw new HostError("session_not_found", "Session not found");
    const from = after ?? head.seq;
    if (from > head.seq) throw refusalError(cursorAhead(session, from, head.seq));
    return new Subscription(options, new Position(from, head), head.seq);
  }

  /** Announces, follows, and sends the reason of the end unless it was stopped. */
  async run(callerId: string): Promise<void> {
    const { sessions, tokens, clock } = this.#streams;
    const { signal } = this.#abort;
    const from = this.#position.seq;
    const turn = () => this.#outbox.turn();
    this.#say("subscribed", { after: from, seq: this.#head });
    this.heartbeat(clock.now());
    const leave = tokens.follow(this.#session, callerId, (runId, token) =>
      this.#say("token", { runId, token }),
    );
    try {
      for await (const followed of sessions.follow(this.#session, from, { signal, turn })) {
        if (followed.type === "reset") {
          this.#position.jump(followed.base);
          this.#outbox.send(resetMessage(followed.base, this.#session));
        } else {
          this.#position.pass(followed.slice);
          this.#outbox.send(eventsMessage(followed.slice, this.#session));
        }
      }
      this.restart();
    } catch (error) {
      this.#end(failureMessage(this.#streams, this.#session, this.#position.seq, error));
    } finally {
      leave();
    }
  }

  heartbeat(now: number): void {
    this.#say("heartbeat", this.#position.heartbeat(now));
  }

  stop(): void {
    this.#abort.abort();
  }

  restart(): void {
    this.#end(endMessage("restart", this.#position.seq));
  }

  #end({ type, said }: LastMessage): void {
    this.#say(type, said);
    this.stop();
  }

  #say(type: string, said: object): boolean {
    if (this.#abort.signal.aborted) return false;
    this.#outbox.say({ type, session: this.#session, ...said });
    return true;
  }
}
