/** Calls and follows a host as its clients do, and records every answer and event. */

import { openSync, writeSync } from "node:fs";
import { crc32 } from "node:zlib";
import {
  type CommandInput,
  type CommandName,
  HostError,
  openRun,
  type SessionId,
  type SessionState,
} from "@holdfast/protocol";
import type { HostParts } from "../../packages/server/src/host.ts";
import type { Executed } from "../../packages/server/src/session/owner.ts";
import type { Entry, Mark, Told } from "./records.ts";

export class Notebook {
  readonly #file: number;

  constructor(path: string) {
    this.#file = openSync(path, "a");
  }

  write(entry: Entry): void {
    writeSync(this.#file, `${JSON.stringify(entry)}\n`);
  }

  note(name: string, value?: unknown): void {
    this.write({ t: "note", name, value });
  }
}

export class Witness {
  readonly host: HostParts;
  readonly notebook: Notebook;
  /** The newest resume token of each session, in clear text. */
  readonly tokens: ReadonlyMap<string, string>;
  /** Number of calls that were not refused. */
  accepted = 0;
  readonly #life: string;
  readonly #stop = new AbortController();
  readonly #following: Promise<void>[] = [];
  #ops = 0;

  constructor(host: HostParts, notebook: Notebook, tokens: ReadonlyMap<string, string>) {
    this.host = host;
    this.notebook = notebook;
    this.tokens = tokens;
    this.#life = String(host.journal.epoch);
  }

  /** Resolves with the answer, or null when the call was refused; both are recorded. */
  async call<N extends CommandName>(
    session: SessionId,
    name: N,
    input: CommandInput<N>,
    mark: Mark | null = markOf(name, input),
  ): Promise<Executed | null> {
    const op = `${this.#life}.${++this.#ops}`;
    const again = name === "prompt";
    const at = wallNow();
    this.notebook.write({ t: "invoke", op, at, s: session, name, mark, again });
    try {
      const executed = await this.host.sessions.execute(session, name, input);
      this.notebook.write({ t: "ok", op, at: wallNow(), events: toldOf(executed) });
      this.accepted++;
      return executed;
    } catch (error) {
      if (!(error instanceof HostError)) throw error;
      this.notebook.write({ t: "fail", op, code: error.code });
      return null;
    }
  }

  follow(session: SessionId, after: number, limit?: number): void {
    const f = `${this.#life}.f${this.#following.length}`;
    this.#following.push(
      this.#follow(f, session, after, limit).catch((error: unknown) => {
        if (!(error instanceof HostError)) throw error;
        this.notebook.note("follow ended", { f, code: error.code });
      }),
    );
  }

  async #follow(f: string, session: SessionId, after: number, limit = 1000): Promise<void> {
    const { signal } = this.#stop;
    for await (const step of this.host.sessions.follow(session, after, { signal, limit })) {
      if (step.type === "reset") {
        this.notebook.write({ t: "reset", f, s: session, seq: step.base.seq });
        continue;
      }
      const { firstSeq: first, bytes } = step.slice;
      this.notebook.write({
        t: "seen",
        f,
        s: session,
        at: wallNow(),
        first,
        crcs: lineCrcs(bytes),
      });
    }
  }

  /** Resolves with the first matching durable state; throws after a timeout. */
  until(
    session: SessionId,
    fits: (state: SessionState) => boolean,
    what: string,
    ms = 20_000,
  ): Promise<SessionState> {
    return new Promise((resolve, reject) => {
      const end = (act: () => void) => {
        leave();
        clearTimeout(timer);
        act();
      };
      const look = (state: SessionState) => {
        if (fits(state)) end(() => resolve(state));
      };
      const leave = this.host.sessions.onDurable((id, { state }) => {
        if (id === session) look(state);
      });
      const timer = setTimeout(
        () => end(() => reject(new Error(`${session} did not become ${what} in ${ms} ms`))),
        ms,
      );
      this.host.sessions.state(session).then(look, (error) => end(() => reject(error)));
    });
  }

  idle(session: SessionId): Promise<SessionState> {
    return this.until(session, (s) => openRun(s) === null && s.queue.length === 0, "idle");
  }

  waiting(session: SessionId): Promise<SessionState> {
    return this.until(session, (s) => (openRun(s)?.waits.length ?? 0) > 0, "waiting");
  }

  running(session: SessionId): Promise<SessionState> {
    return this.until(session, (s) => (openRun(s)?.openTools.length ?? 0) > 0, "running a tool");
  }

  async leave(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#following);
  }
}

/** Milliseconds since 1970 with fractions, comparable with the timestamps in strace's log. */
export const wallNow = () => performance.timeOrigin + performance.now();

export function toldOf({ events }: Executed): Told[] {
  return events.map((event) => [event.seq, crc32(`${JSON.stringify(event)}\n`)]);
}

export function lineCrcs(bytes: Uint8Array): number[] {
  const crcs: number[] = [];
  for (let from = 0; from < bytes.length; ) {
    const to = bytes.indexOf(0x0a, from) + 1;
    crcs.push(crc32(bytes.subarray(from, to)));
    from = to;
  }
  return crcs;
}

/** The mark that identifies a call without an answer in the journal. */
export function markOf(name: CommandName, input: unknown): Mark | null {
  const { clientId, by, key, title, approvalId, decision } = input as Record<string, unknown>;
  const text = (field: string, value: unknown) => `"${field}":${JSON.stringify(value)}`;
  switch (name) {
    case "create":
      return { kinds: ["session.created"], text: "" };
    case "prompt":
      if (clientId === undefined) return null;
      return { kinds: ["message.user", "message.queued"], text: text("clientId", clientId) };
    case "rename":
      return { kinds: ["session.renamed"], text: text("title", title) };
    case "resumeWait":
      return key === undefined ? null : { kinds: ["run.resumed"], text: text("key", key) };
    case "decide": {
      // Includes the approval: an answer carried to a repeated question is another event.
      const fields = [text("approvalId", approvalId), text("decision", decision), text("by", by)];
      return { kinds: ["approval.decided"], text: fields.join() };
    }
    case "cancel":
      return { kinds: ["run.cancel_requested"], text: text("by", by) };
    default:
      return null;
  }
}
