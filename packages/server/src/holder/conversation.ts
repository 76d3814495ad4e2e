/**
 * JSON-RPC with an agent, as far as it is framing: whose answer is whose, and which of the agent's
 * questions are open. It numbers our requests; the agent's questions are known by the frame they came
 * in, since agents reuse their ids.
 */

import type { Json } from "@holdfast/protocol";
import type { FrameBuilder } from "./frame-batch.ts";
import { Keys } from "./keys.ts";
import { type RpcShape, rpcShape } from "./rpc-shape.ts";

/** Of text that is no JSON the beginning is told, and how long it was. */
const NOISE_BYTES = 4096;

/** Limit of a request's id: every answer repeats it. */
const ID_BYTES = 64 * 1024;

/** What there is room for. A cancelled agent is read on when there is little, to hear its answer. */
export type Room = "all" | "calls" | "answers";

export interface Answer {
  readonly result?: Json;
  readonly error?: { readonly code: number; readonly message: string };
}

export class Conversation {
  readonly keys = new Keys();
  /** Our ids, over all agents of this holder. */
  readonly #asked = new Map<number, string>();
  /** The agent's questions: their frame, and their id as it was written. */
  readonly #questions = new Map<number, Buffer>();
  #lastId = 0;

  get isOpen(): boolean {
    return this.#questions.size > 0 || this.keys.hasPending;
  }

  /** Adds the frame of one line; false when there was no room and nobody waits for it. */
  hear(frames: FrameBuilder, bytes: Buffer, from: number, to: number, room: Room): boolean {
    const shape = rpcShape(bytes, from, to);
    const key = this.#keyOf(shape, bytes);
    if (!hasRoom(room, shape, key)) return false;
    if (shape.kind === "noise" || hasEndlessId(shape)) {
      const text = bytes.toString("utf8", from, Math.min(to, from + NOISE_BYTES));
      frames.add({ k: "noise", text, bytes: to - from });
      return true;
    }
    if (key !== undefined) this.keys.answer(key, Buffer.from(bytes.subarray(from, to)));
    if (shape.kind === "request") {
      this.#questions.set(frames.nextN, Buffer.from(bytes.subarray(shape.idFrom, shape.idTo)));
    }
    frames.addLine(bytes, from, to, key);
    return true;
  }

  /** What to write to the agent. */
  request(key: string, method: string, params: Json): Buffer {
    const id = ++this.#lastId;
    this.#asked.set(id, key);
    this.keys.begin(key);
    return lineOf({ jsonrpc: "2.0", id, method, params });
  }

  notification(key: string, method: string, params: Json): Buffer {
    this.keys.spend(key);
    return lineOf({ jsonrpc: "2.0", method, params });
  }

  /** Null when that question was answered, died with its agent, or never was. */
  answer(to: number, { result, error }: Answer): Buffer | null {
    const id = this.#questions.get(to);
    if (id === undefined) return null;
    this.#questions.delete(to);
    const rest = JSON.stringify(error === undefined ? { result: result ?? null } : { error });
    return Buffer.concat([
      Buffer.from('{"jsonrpc":"2.0","id":'),
      id,
      Buffer.from(`,${rest.slice(1)}\n`),
    ]);
  }

  /** The agent is gone: nothing that is open will ever be closed. */
  end(): { lost: readonly string[]; dead: readonly number[] } {
    const ended = { lost: this.keys.pending, dead: [...this.#questions.keys()] };
    for (const key of ended.lost) this.keys.spend(key);
    this.#asked.clear();
    this.#questions.clear();
    return ended;
  }

  /** Of whose request this is the answer. */
  #keyOf(shape: RpcShape, bytes: Buffer): string | undefined {
    if (shape.kind !== "response") return undefined;
    const id = Number(bytes.toString("latin1", shape.idFrom, shape.idTo));
    const key = this.#asked.get(id);
    this.#asked.delete(id);
    return key;
  }
}

function hasEndlessId(shape: RpcShape): boolean {
  return shape.kind === "request" && shape.idTo - shape.idFrom > ID_BYTES;
}

/** An answer someone waits for is always taken: there are no more of them than we asked for. */
function hasRoom(room: Room, shape: RpcShape, key: string | undefined): boolean {
  if (room === "all" || key !== undefined) return true;
  return room === "calls" && shape.kind === "request";
}

function lineOf(message: Json): Buffer {
  return Buffer.from(`${JSON.stringify(message)}\n`);
}
