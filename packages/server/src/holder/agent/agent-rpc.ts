/**
 * JSON-RPC framing with an agent: matches answers to requests, and tracks the agent's open
 * questions. It numbers our requests. The agent's questions are known by the number of their frame,
 * because agents reuse their ids.
 */

import type { Json } from "@holdfast/protocol";
import type { FrameBuilder } from "../spool/frame-batch.ts";
import { RequestKeys } from "./request-keys.ts";
import { type RpcShape, rpcShape } from "./rpc-shape.ts";

/** Limit of reported text that is not JSON; its full length is reported too. */
const NOISE_BYTES = 4096;

/** Limit of a request's id, because every answer repeats it. */
const ID_BYTES = 64 * 1024;

/** Kinds of lines that the spool has room for; a cancelled agent is read for its answer. */
export type SpoolRoom = "all" | "calls" | "answers";

export interface Answer {
  readonly result?: Json;
  readonly error?: { readonly code: number; readonly message: string };
}

export class AgentRpc {
  readonly keys = new RequestKeys();
  /** Our request ids and their keys, over all agents of this holder. */
  readonly #asked = new Map<number, string>();
  /** The agent's questions: their frame number, and their id as the agent wrote it. */
  readonly #questions = new Map<number, Buffer>();
  #lastId = 0;

  get isOpen(): boolean {
    return this.#questions.size > 0 || this.keys.hasPending;
  }

  /** Adds the frame of one line; false when the line was dropped for want of room. */
  hear(frames: FrameBuilder, bytes: Buffer, from: number, to: number, room: SpoolRoom): boolean {
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

  /** Null when the question is unknown, was answered, or its agent has exited. */
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

  /** Closes all that is open at the agent's exit; returns lost keys and dead questions. */
  end(): { lost: readonly string[]; dead: readonly number[] } {
    const ended = { lost: this.keys.pending, dead: [...this.#questions.keys()] };
    for (const key of ended.lost) this.keys.spend(key);
    this.#asked.clear();
    this.#questions.clear();
    return ended;
  }

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

/** An answer to one of our requests is always accepted; their number is limited by our requests. */
function hasRoom(room: SpoolRoom, shape: RpcShape, key: string | undefined): boolean {
  if (room === "all" || key !== undefined) return true;
  return room === "calls" && shape.kind === "request";
}

function lineOf(message: Json): Buffer {
  return Buffer.from(`${JSON.stringify(message)}\n`);
}
