/**
 * Writes one turn's output into the journal, in order. Text is grouped for at most `deltaGroup`;
 * anything else first flushes the open group. Output too large for an event becomes a preview and a
 * blob that is on disk before the event that names it.
 */

import { type BlobRef, HostError, type Output, type SessionId } from "@holdfast/protocol";
import type { Blobs } from "../journal/blobs.ts";
import type { Sessions } from "./sessions.ts";

/** What stays in the journal of an output that went into a blob. */
export const PREVIEW = 4096;
/** Above this an output goes into a blob: a few fit in one event, with room for JSON's escapes. */
export const INLINE = 32 * 1024;

export interface Recording {
  readonly session: SessionId;
  readonly runId: string;
  readonly attempt: number;
}

export class Recorder {
  /** Output of a launch that was replaced meanwhile: dropped, and counted. */
  dropped = 0;
  readonly #who: Recording;
  readonly #sessions: Sessions;
  readonly #blobs: Blobs;
  readonly #stopped: AbortSignal;
  #group: { type: "text" | "thinking"; text: string } | null = null;
  #cancelTimer: () => void = () => undefined;
  #writes: Promise<void> = Promise.resolve();
  #outstanding = 0;

  constructor(who: Recording, sessions: Sessions, blobs: Blobs, stopped: AbortSignal) {
    this.#who = who;
    this.#sessions = sessions;
    this.#blobs = blobs;
    this.#stopped = stopped;
  }

  async add(item: Output): Promise<void> {
    if (item.type !== "text" && item.type !== "thinking") {
      this.#close();
      this.#write(item);
      return this.flush();
    }
    if (this.#group !== null && this.#group.type !== item.type) this.#close();
    if (this.#group === null) {
      this.#group = { type: item.type, text: "" };
      const { clock, policy } = this.#sessions;
      this.#cancelTimer = clock.after(policy.deltaGroup, () => this.#close());
    }
    this.#group.text += item.text;
    if (this.#group.text.length >= this.#sessions.policy.deltaBytes) return this.flush();
    // While the last group is not durable the agent is held back, however slowly it speaks.
    if (this.#outstanding > 0) await this.#writes;
  }

  /** Resolves when everything added so far is durable, or was found to be late. */
  flush(): Promise<void> {
    this.#close();
    return this.#writes;
  }

  #close(): void {
    this.#cancelTimer();
    if (this.#group === null) return;
    const { type, text } = this.#group;
    this.#group = null;
    for (let at = 0; at < text.length; at += this.#sessions.policy.deltaBytes) {
      this.#write({ type, text: text.slice(at, at + this.#sessions.policy.deltaBytes) });
    }
  }

  #write(item: Output): void {
    const written = this.#writes.then(() => this.#persist(item));
    this.#writes = written;
    this.#outstanding++;
    const settled = () => {
      this.#outstanding--;
    };
    // The timer may close a group while nobody waits; whoever flushes next gets the failure.
    written.then(settled, settled);
  }

  async #persist(item: Output): Promise<void> {
    const { session, runId, attempt } = this.#who;
    await patiently(this.#sessions, this.#stopped, async () => {
      const output = [await fitting(this.#blobs, session, item)];
      await this.#sessions.execute(session, "record", { runId, attempt, output });
    }).catch((error: unknown) => {
      if (!isLate(error)) throw error;
      this.dropped++;
    });
  }
}

/** The output as an event can hold it; a blob is on disk before anything names it. */
export async function fitting(blobs: Blobs, session: SessionId, item: Output): Promise<Output> {
  const store = (text: string): Promise<BlobRef> => blobs.put(session, Buffer.from(text));
  switch (item.type) {
    case "tool_finished":
      return item.output.length <= INLINE
        ? item
        : { ...item, output: preview(item.output), blob: await store(item.output) };
    case "tool_updated":
      return item.output.length <= INLINE ? item : { ...item, output: preview(item.output) };
    case "tool_started": {
      const input = JSON.stringify(item.input);
      if (input.length <= INLINE) return item;
      return { ...item, input: preview(input), blob: await store(input) };
    }
    case "part": {
      const part = JSON.stringify(item.part);
      if (part.length <= INLINE) return item;
      const { hash, bytes } = await store(part);
      return { ...item, part: { type: "blob", preview: preview(part), hash, bytes } };
    }
    default:
      return item;
  }
}

function preview(text: string): string {
  return `${text.slice(0, PREVIEW).toWellFormed()}\n… ${text.length - PREVIEW} more characters`;
}

export function isLate(error: unknown): boolean {
  if (!(error instanceof HostError)) return false;
  return ["late_event", "not_open", "run_not_found"].includes(error.code);
}

export function isFull(error: unknown): boolean {
  return error instanceof HostError && error.code === "journal_full";
}

/** Why a run failed, for its outcome. What has no code of ours is a bug, and says so. */
export function reasonOf(error: unknown): { code: string; message: string } {
  if (error instanceof HostError) return { code: error.code, message: error.message };
  const message = error instanceof Error ? error.message : String(error);
  return { code: "internal", message: message.slice(0, 1000).toWellFormed() };
}

/** A full disk is waited out: the agent is held back, nothing is lost, and freeing space is enough. */
export async function patiently<T>(
  sessions: Sessions,
  stopped: AbortSignal,
  act: () => Promise<T>,
): Promise<T> {
  for (;;) {
    await sessions.journal.whenReady();
    try {
      return await act();
    } catch (error) {
      if (!isFull(error) || stopped.aborted) throw error;
      await new Promise<void>((resolve) => {
        sessions.clock.after(sessions.policy.fullRetry, resolve);
        stopped.addEventListener("abort", () => resolve(), { once: true });
      });
    }
  }
}
