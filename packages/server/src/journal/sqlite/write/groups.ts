/** Gathers batches while a group is synced: one message to the writer and one back per group. */

import type { HostError } from "@holdfast/protocol";
import type { Appended, Batch } from "../../journal.ts";
import { maxBytesInFlight } from "../../limits.ts";
import {
  journalClosed,
  refusalError,
  type StoreRefusal,
  sessionNotFound,
} from "../../store-refusal.ts";
import { Arena } from "./arena.ts";
import {
  type AckMessage,
  batchField,
  batchFields,
  type Extra,
  type GroupMessage,
  resultField,
  resultFields,
} from "./messages.ts";
import type { Part } from "./tails.ts";

/** A larger group would make small batches wait for large ones. */
const maxGroupLength = 4 * 1024 * 1024;

interface Waiting {
  readonly batch: Batch;
  readonly resolve: (appended: Appended) => void;
  readonly reject: (error: HostError) => void;
}

interface InFlight {
  readonly batches: readonly Waiting[];
  readonly body: Uint8Array;
  readonly sizes: Uint32Array;
}

const nothing: InFlight = { batches: [], body: new Uint8Array(0), sizes: new Uint32Array(0) };

interface GroupPorts {
  /** The session's row, or 0 when it is unknown. */
  readonly rowOf: (batch: Batch) => number;
  readonly send: (group: GroupMessage) => void;
  /** Called for each durable batch, in order, before its promise resolves. */
  readonly durable: (batch: Batch, row: number, chain: number, part: Part) => void;
}

export class Groups {
  readonly #ports: GroupPorts;
  readonly #arena = new Arena();
  #gathering: Waiting[] = [];
  #inFlight: InFlight = nothing;
  #length = 0;
  #isScheduled = false;
  #isClosed = false;
  #ready = Promise.withResolvers<void>();
  #drained = Promise.withResolvers<void>();

  constructor(ports: GroupPorts) {
    this.#ports = ports;
  }

  get isReady(): boolean {
    return this.#length <= maxBytesInFlight;
  }

  whenReady(): Promise<void> {
    return this.isReady ? Promise.resolve() : this.#ready.promise;
  }

  append(batch: Batch): Promise<Appended> {
    if (this.#isClosed) return Promise.reject(refusalError(journalClosed()));
    return new Promise((resolve, reject) => {
      this.#gathering.push({ batch, resolve, reject });
      this.#length += batch.text.length;
      if (this.#inFlight.batches.length === 0) this.#schedule();
    });
  }

  /** Stops accepting batches; resolves when the last one is answered. */
  close(): Promise<void> {
    this.#isClosed = true;
    if (this.#gathering.length + this.#inFlight.batches.length === 0) this.#drained.resolve();
    return this.#drained.promise;
  }

  acknowledged({ results, refusals }: AckMessage): void {
    const { batches, body, sizes } = this.#inFlight;
    this.#inFlight = nothing;
    const refused = new Map(refusals);
    let end = 0;
    for (let i = 0; i < batches.length; i++) {
      const { batch, resolve, reject } = batches[i] as Waiting;
      const start = end;
      end += sizes[i] as number;
      this.#length -= batch.text.length;
      const refusal = refused.get(i);
      if (refusal) {
        reject(refusalError(named(refusal, batch)));
        continue;
      }
      const chain = results[i * resultFields + resultField.chain] as number;
      const row = results[i * resultFields + resultField.row] as number;
      const { expectedSeq, count } = batch;
      this.#ports.durable(batch, row, chain, {
        firstSeq: expectedSeq + 1,
        count,
        body,
        start,
        end,
      });
      resolve({ seq: expectedSeq + count, chain });
    }
    if (this.#gathering.length > 0) this.#schedule();
    else if (this.#isClosed) this.#drained.resolve();
    if (!this.isReady) return;
    this.#ready.resolve();
    this.#ready = Promise.withResolvers<void>();
  }

  /** Waits for one turn of the event loop, so that callers just acknowledged can add their next batch. */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#send();
    });
  }

  #send(): void {
    const batches = this.#takeGroup();
    let length = 0;
    for (const { batch } of batches) length += batch.text.length;
    const start = this.#arena.begin(length);
    const extras: Extra[] = [];
    const index = new Uint32Array(batches.length * batchFields);
    const sizes = new Uint32Array(batches.length);
    for (let i = 0; i < batches.length; i++) {
      const { batch } = batches[i] as Waiting;
      const at = i * batchFields;
      const row = this.#ports.rowOf(batch);
      const extra = extraOf(batch, row);
      index[at + batchField.row] = row;
      index[at + batchField.expectedSeq] = batch.expectedSeq;
      index[at + batchField.count] = batch.count;
      const size = this.#arena.write(batch.text);
      sizes[i] = size;
      index[at + batchField.bytes] = size;
      index[at + batchField.extra] = extra ? extras.push(extra) : 0;
      index[at + batchField.essential] = batch.essential ? 1 : 0;
    }
    const body = this.#arena.since(start);
    this.#inFlight = { batches, body, sizes };
    this.#ports.send({ index, body, extras });
  }

  #takeGroup(): Waiting[] {
    const gathered = this.#gathering;
    let length = 0;
    const end = gathered.findIndex(({ batch }) => {
      length += batch.text.length;
      return length > maxGroupLength;
    });
    this.#gathering = end < 1 ? [] : gathered.slice(end);
    return end < 1 ? gathered : gathered.slice(0, end);
  }
}

/** The writer may know only the session's row, so its refusal lacks the id. */
function named(refusal: StoreRefusal, { session }: Batch): StoreRefusal {
  return refusal.code === "session_not_found" ? sessionNotFound(session) : refusal;
}

function extraOf({ session, head, once, cursor }: Batch, row: number): Extra | null {
  if (row > 0 && !head && !once && !cursor) return null;
  return {
    ...(row === 0 && { session }),
    ...(head && { head }),
    ...(once && { once }),
    ...(cursor && { cursor }),
  };
}
