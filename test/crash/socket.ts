/**
 * A host behind a unix socket with a line protocol for the client processes, since the product's
 * HTTP API does not carry commands yet. Two requests exist only for faults: `drop` executes and
 * closes the connection instead of answering; `crash` executes and ends the host before it can
 * answer.
 */

import { randomBytes } from "node:crypto";
import { createServer, type Socket } from "node:net";
import { type CommandName, type EventBody, HostError, type SessionId } from "@holdfast/protocol";
import { encodeStamped } from "@holdfast/protocol/schemas";
import { onceFacts } from "../../packages/server/src/session/facts.ts";
import { clearToken, newSecret, presentToken } from "../../packages/server/src/session/secrets.ts";
import { toldOf, type Witness } from "./witness.ts";

export interface Request {
  readonly id: number;
  readonly session: string;
  readonly name: string;
  readonly input: Record<string, unknown>;
  readonly fault?: "drop" | "crash";
}

export interface Forced {
  readonly events: readonly EventBody[];
  /** Number of events and epochs by which the writer is out of date. */
  readonly behind: number;
  readonly epochs: number;
}

export type Reply =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly code: string };

export function serveSocket(path: string, witness: Witness): Promise<void> {
  const { host, tokens } = witness;
  const server = createServer((socket) => {
    onLines(socket, (line) => void reply(socket, JSON.parse(line) as Request));
    // The host ignores the errors of a killed client.
    socket.on("error", () => socket.destroy());
  });

  async function reply(socket: Socket, request: Request): Promise<void> {
    const { id, fault } = request;
    let answer: Reply;
    try {
      answer = { id, value: await act(request) };
    } catch (error) {
      if (!(error instanceof HostError)) throw error;
      answer = { id, code: error.code };
    }
    if (fault === "crash") process.kill(process.pid, "SIGKILL");
    if (fault === "drop") socket.destroy();
    else if (!socket.destroyed) socket.write(`${JSON.stringify(answer)}\n`);
  }

  async function act({ session: name, name: command, input }: Request): Promise<unknown> {
    const session = name as SessionId;
    switch (command) {
      case "newSession":
        return host.sessions.newId("session");
      case "token":
        return tokens.get(session) ?? null;
      case "idle":
      case "waiting":
      case "running":
        return (await witness[command](session)).run;
      case "mint":
        return mint(session, input);
      case "force":
        return force(session, input as unknown as Forced);
      case "lines":
        return lines(session);
      default: {
        const executed = await host.sessions.execute(session, command as CommandName, taken(input));
        const { run } = executed.state;
        return { seq: executed.state.seq, told: toldOf(executed), run };
      }
    }
  }

  /** A new token in clear text for the open wait, as its owner would get it. */
  async function mint(session: SessionId, input: Record<string, unknown>): Promise<string> {
    const { runId, expiresAt } = input as { runId: string; expiresAt: string | null };
    const secret = newSecret((bytes) => randomBytes(bytes));
    const token = { hash: secret.hash, expiresAt };
    const { events } = await host.sessions.execute(session, "mintToken", { runId, token });
    const minted = events.find((event) => event.kind === "token.minted");
    return clearToken(minted?.tokenId ?? "", runId, secret);
  }

  /** Appends directly to the store, without rules, as a writer with an outdated state would. */
  async function force(session: SessionId, { events, behind, epochs }: Forced): Promise<unknown> {
    const standing = await host.journal.standing(session);
    const expectedSeq = (standing?.seq ?? 0) - behind;
    const ts = new Date().toISOString();
    return host.journal.append({
      session,
      expectedSeq,
      count: events.length,
      once: onceFacts(events),
      epoch: host.journal.epoch - epochs,
      text: events
        .map((body, i) => encodeStamped({ seq: expectedSeq + 1 + i, ts, ...body }))
        .join(""),
    });
  }

  async function lines(session: SessionId): Promise<string> {
    const standing = await host.journal.standing(session);
    let text = "";
    for (let after = 0; after < (standing?.seq ?? 0); ) {
      const slice = await host.journal.read(session, after, 1000);
      if (slice === null) break;
      text += Buffer.from(slice.bytes).toString();
      after = slice.firstSeq + slice.count - 1;
    }
    return text;
  }

  return new Promise((resolve) => server.listen(path, resolve));
}

/** Replaces a token in clear text by its presented form, before any rule sees it. */
function taken(input: Record<string, unknown>): never {
  if (typeof input.token !== "string") return input as never;
  const token = presentToken(input.token);
  if (token instanceof HostError) throw token;
  return { ...input, token } as never;
}

/**
 * Calls `each` with every line. Decodes as a stream: a character split between two chunks stays
 * whole.
 */
export function onLines(stream: NodeJS.ReadableStream, each: (line: string) => void): void {
  let rest = "";
  stream.setEncoding("utf8");
  stream.on("data", (chunk: string) => {
    rest += chunk;
    for (let at = rest.indexOf("\n"); at >= 0; at = rest.indexOf("\n")) {
      const line = rest.slice(0, at);
      rest = rest.slice(at + 1);
      each(line);
    }
  });
}
