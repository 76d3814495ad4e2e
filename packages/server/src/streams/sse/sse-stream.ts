/**
 * `GET …/stream`: a session's journal, or one run of it, as Server-Sent Events.
 *
 * All refusals happen before the first byte. After it, the answer is a stream that ends with
 * `event: end` and a reason, or `event: error` and a code. A client can always continue after the
 * last id.
 */

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { HostError, type SessionId } from "@holdfast/protocol";
import type { Caller } from "../../access/credentials/caller.ts";
import type { Base, Slice } from "../../journal/journal.ts";
import { cursorAhead, refusalError, sessionDamaged } from "../../journal/store-refusal.ts";
import { every } from "../every.ts";
import {
  type EndReason,
  endMessage,
  failureMessage,
  type LastMessage,
  revokedMessage,
} from "../last-message.ts";
import { memoizeByObject } from "../memoize-by-object.ts";
import { Position } from "../position.ts";
import { resetOf } from "../reset.ts";
import type { Stream, Streams } from "../streams.ts";
import { Confirmations, portsOf, type Unconfirmed } from "../unconfirmed.ts";
import { RunSpan } from "./run-span.ts";
import { sseFrame, sseFrames, sseHeaders } from "./sse.ts";
import { SseWriter } from "./sse-writer.ts";

interface SseRequest {
  readonly session: SessionId;
  /** From the query. `Last-Event-ID` wins over it; without either, the stream starts at the beginning. */
  readonly after?: number | undefined;
  readonly run?: string;
  readonly caller: Caller;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** The answer when there is no stream to start. */
interface Instead {
  readonly status: 200 | 204;
  readonly headers: Readonly<Record<string, string>>;
}

/** Returns null once the stream owns the response; throws a HostError before any byte is written. */
export async function serveSse(streams: Streams, asked: SseRequest): Promise<Instead | null> {
  const { session, request, response } = asked;
  const cursor = cursorOf(request, asked.after);
  const span = asked.run === undefined ? null : await RunSpan.find(streams, session, asked.run);
  const head = await streams.journal.standing(session);
  if (head === null) throw new HostError("session_not_found", "Session not found");
  const after = cursor ?? (span === null ? 0 : span.first - 1);
  if (after > head.seq) throw refusalError(cursorAhead(session, after, head.seq));
  if (head.damage !== undefined && after >= (head.damage.readableTo ?? 0)) {
    throw refusalError(sessionDamaged(session, head.damage.reason, head.damage.readableTo));
  }
  // An EventSource reconnects by itself after a run's end; only a 204 stops it.
  if (span?.isOver(after)) return { status: 204, headers: {} };
  if (request.method === "HEAD") return { status: 200, headers: sseHeaders };
  const { id } = asked.caller;
  const refusal = streams.refusal(id) ?? streams.full(id) ?? streams.crowded(session);
  if (refusal !== null) throw refusal;
  if (!response.destroyed) {
    const stream = new SseStream(streams, asked, new Position(after, head), span);
    void stream.run();
  }
  return null;
}

function cursorOf({ headers }: IncomingMessage, after: number | undefined): number | undefined {
  const id = headers["last-event-id"];
  // An EventSource without a last id sends none, or an empty one.
  const cursor = id === undefined || id === "" ? after : Number(/^\d+$/.exec(String(id))?.[0]);
  if (cursor === undefined || (Number.isSafeInteger(cursor) && cursor >= 0)) return cursor;
  throw new HostError("bad_input", "Last-Event-ID and after must be a seq, as the stream gave it.");
}

const framesOf = memoizeByObject(sseFrames);
const resetFrame = memoizeByObject((base: Base) => sseFrame("reset", resetOf(base), base.seq));

class SseStream implements Stream {
  readonly callerId: string;
  readonly #streams: Streams;
  readonly #session: SessionId;
  readonly #position: Position;
  readonly #span: RunSpan | null;
  readonly #writer: SseWriter;
  readonly #socket: Socket;
  readonly #confirmations: Confirmations;
  readonly #abort = new AbortController();
  /** The reason for the end: "restart" by default, as a closing host ends its followers. */
  #reason: EndReason = "restart";
  #isHeartbeatDue = false;

  constructor(
    streams: Streams,
    { session, caller, request, response }: SseRequest,
    position: Position,
    span: RunSpan | null,
  ) {
    const { clock, limits, tokens } = streams;
    this.callerId = caller.id;
    this.#streams = streams;
    this.#session = session;
    this.#position = position;
    this.#span = span;
    this.#writer = new SseWriter({ response, clock, stall: limits.stall });
    this.#socket = request.socket;
    this.#confirmations = new Confirmations(limits.unconfirmed);
    request.socket.setKeepAlive(true, limits.heartbeat);
    response.writeHead(200, sseHeaders);
    this.#writer.say(Buffer.from(`retry: ${limits.retry}\n\n`));
    this.#heartbeat();
    const release = [
      every(clock, limits.heartbeat, () => this.#heartbeat()),
      clock.after(limits.recycle, () => this.#stop("recycle")),
      tokens.follow(session, caller.id, (runId, token) => this.#token(runId, token)),
    ];
    response.on("close", () => {
      for (const call of release) call();
      this.#abort.abort();
      streams.remove(this);
    });
    streams.add(this);
  }

  async run(): Promise<void> {
    const { signal } = this.#abort;
    try {
      for await (const followed of this.#streams.sessions.follow(
        this.#session,
        this.#position.seq,
        { signal },
      )) {
        if (followed.type === "reset") await this.#reset(followed.base);
        else await this.#events(followed.slice);
        if (this.#span?.isOver(this.#position.seq)) {
          this.#reason = "done";
          break;
        }
        if (this.#isHeartbeatDue) this.#heartbeat();
      }
      this.#end(endMessage(this.#reason, this.#position.seq));
    } catch (error) {
      this.#end(failureMessage(this.#streams, this.#session, this.#position.seq, error));
    }
  }

  restart(): void {
    this.#stop("restart");
  }

  revoke(): void {
    this.#abort.abort();
    // Within a slice no other frame can be written.
    if (this.#writer.isWriting) this.cut();
    else this.#end(revokedMessage, this.#streams.limits.revoking);
  }

  cut(): void {
    this.#writer.cut();
  }

  look(unconfirmed: Unconfirmed): void {
    // During a write, the writer's own stall limit applies to the reader.
    const bytes = this.#writer.isWriting ? 0 : (unconfirmed.get(portsOf(this.#socket)) ?? 0);
    if (this.#confirmations.isGone(bytes, this.#streams.clock.steady())) this.cut();
  }

  async #events(slice: Slice): Promise<void> {
    const own = this.#span === null ? slice : await this.#span.cut(slice);
    await this.#writer.write(framesOf(own));
    this.#position.pass(own);
  }

  async #reset(base: Base): Promise<void> {
    await this.#span?.look();
    await this.#writer.write(resetFrame(base));
    this.#position.jump(base);
  }

  /** A heartbeat gives its reader's position, so it can only stand between slices. */
  #heartbeat(): void {
    this.#isHeartbeatDue = this.#writer.isWriting;
    if (this.#isHeartbeatDue) return;
    const now = this.#streams.clock.now();
    this.#writer.say(sseFrame("heartbeat", this.#position.heartbeat(now)));
  }

  #token(runId: string, token: string): boolean {
    return this.#writer.say(sseFrame("token", { runId, token }));
  }

  #stop(reason: EndReason): void {
    this.#reason = reason;
    this.#abort.abort();
  }

  #end({ type, said }: LastMessage, time?: number): void {
    this.#writer.end(sseFrame(type, said), time);
  }
}
