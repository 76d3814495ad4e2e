/** One session followed over a socket: its own place in the journal, its turn among the others. */

import type { SessionId } from "@holdfast/protocol";
import { end, failed, type LastWord } from "./last-word.ts";
import type { Outbox } from "./outbox.ts";
import type { Position } from "./position.ts";
import { eventsMessage, resetMessage } from "./socket-messages.ts";
import type { Streams } from "./streams.ts";

export class Subscription {
  readonly #streams: Streams;
  readonly #session: SessionId;
  readonly #outbox: Outbox;
  readonly #position: Position;
  readonly #abort = new AbortController();

  constructor(streams: Streams, session: SessionId, outbox: Outbox, position: Position) {
    this.#streams = streams;
    this.#session = session;
    this.#outbox = outbox;
    this.#position = position;
  }

  /** Resolves when it is over, having said so unless it was stopped. */
  async run(callerId: string): Promise<void> {
    const { signal } = this.#abort;
    const { sessions, tokens } = this.#streams;
    const turn = () => this.#outbox.turn();
    const leave = tokens.follow(this.#session, callerId, (runId, token) =>
      this.#say("token", { runId, token }),
    );
    try {
      const from = this.#position.seq;
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
      this.#end(failed(this.#streams, this.#session, this.#position.seq, error));
    } finally {
      leave();
    }
  }

  heartbeat(now: number): void {
    this.#say("heartbeat", this.#position.heartbeat(now));
  }

  /** From now on nothing of this session is sent. */
  stop(): void {
    this.#abort.abort();
  }

  restart(): void {
    this.#end(end("restart", this.#position.seq));
  }

  #end({ type, said }: LastWord): void {
    this.#say(type, said);
    this.stop();
  }

  #say(type: string, said: object): boolean {
    if (this.#abort.signal.aborted) return false;
    this.#outbox.say({ type, session: this.#session, ...said });
    return true;
  }
}
