/** Drives the demo agent with the official ACP client, unmodified, on its stdio. */

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import {
  type ClientConnection,
  client,
  type InitializeResponse,
  methods,
  type NewSessionRequest,
  ndJsonStream,
  type PromptRequest,
  type PromptResponse,
  type RequestPermissionOutcome,
  type RequestPermissionRequest,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import { compileCache } from "../../../base/compiled.ts";
import { readDemoConfig } from "../config.ts";

const main = fileURLToPath(new URL("../main.ts", import.meta.url));
const started = new Set<Driven>();
const directories = new Set<string>();

export interface DriveOptions {
  readonly cwd: string;
  /** The agent's state directory; when absent, the state is kept in the workspace. */
  readonly state?: string;
}

export const choose = (optionId: string): Promise<RequestPermissionOutcome> =>
  Promise.resolve({ outcome: "selected", optionId });

export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "holdfast-demo-"));
  directories.add(directory);
  return directory;
}

/** Starts an agent and initializes it. */
export async function drive(options: DriveOptions): Promise<Driven> {
  const driven = new Driven(options);
  await driven.initialize();
  return driven;
}

/** Kills every agent that was started and removes every directory. */
export async function cleanUp(): Promise<void> {
  for (const driven of started) {
    driven.process.kill("SIGKILL");
    await driven.exited;
  }
  started.clear();
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
  directories.clear();
}

export class Driven {
  readonly process: ChildProcess;
  /** The exit code, or the signal that ended it. */
  readonly exited: Promise<number | string>;
  readonly updates: SessionUpdate[] = [];
  readonly asked: RequestPermissionRequest[] = [];
  /** Answers the next permission requests; tests replace it. */
  answer: () => Promise<RequestPermissionOutcome> = () => choose("allow_once");
  readonly #cwd: string;
  readonly #connection: ClientConnection;
  readonly #bytes: Uint8Array[] = [];
  #waiting: ((updates: readonly SessionUpdate[]) => void)[] = [];

  constructor({ cwd, state }: DriveOptions) {
    const child = spawn(process.execPath, [main], {
      cwd,
      env: {
        ...compileCache,
        PATH: readDemoConfig().path,
        HOLDFAST_DEMO_PACE_MS: "1",
        ...(state === undefined ? {} : { HOLDFAST_AGENT_STATE: state }),
      },
      stdio: ["pipe", "pipe", "inherit"],
    });
    this.process = child;
    this.#cwd = cwd;
    this.exited = new Promise((resolve) =>
      child.once("close", (code, signal) => resolve(code ?? signal ?? "")),
    );
    started.add(this);
    // Writing to a killed agent fails; `exited` reports its end.
    child.stdin.on("error", () => undefined);
    child.stdout.on("data", (bytes: Uint8Array) => this.#bytes.push(bytes));
    this.#connection = client({ name: "test" })
      .onNotification(methods.client.session.update, ({ params }) => {
        this.updates.push(params.update);
        for (const check of this.#waiting) check([params.update]);
      })
      .onRequest(methods.client.session.requestPermission, async ({ params }) => {
        this.asked.push(params);
        return { outcome: await this.answer() };
      })
      .connect(
        ndJsonStream(
          Writable.toWeb(child.stdin),
          Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>,
        ),
      );
  }

  initialize(): Promise<InitializeResponse> {
    return this.#connection.agent.request(methods.agent.initialize, { protocolVersion: 1 });
  }

  async newSession(cwd = this.#cwd): Promise<string> {
    const request: NewSessionRequest = { cwd, mcpServers: [] };
    const { sessionId } = await this.#connection.agent.request(methods.agent.session.new, request);
    return sessionId;
  }

  async load(sessionId: string): Promise<void> {
    const request = { sessionId, cwd: this.#cwd, mcpServers: [] };
    await this.#connection.agent.request(methods.agent.session.load, request);
  }

  prompt(sessionId: string, text: string): Promise<PromptResponse> {
    const request: PromptRequest = { sessionId, prompt: [{ type: "text", text }] };
    const response = this.#connection.agent.request(methods.agent.session.prompt, request);
    // A test that kills the agent ignores the pending response.
    response.catch(() => undefined);
    return response;
  }

  cancel(sessionId: string): Promise<void> {
    return this.#connection.agent.notify(methods.agent.session.cancel, { sessionId });
  }

  /** Forgets the updates and questions so far. */
  clear(): void {
    this.updates.length = 0;
    this.asked.length = 0;
  }

  endStdin(): void {
    this.process.stdin?.end();
  }

  kill(signal: NodeJS.Signals): Promise<number | string> {
    this.process.kill(signal);
    return this.exited;
  }

  /** Resolves with the first matching update, earlier or later. */
  update(is: (update: SessionUpdate) => boolean): Promise<SessionUpdate> {
    return new Promise((resolve) => {
      const check = (updates: readonly SessionUpdate[]): void => {
        const found = updates.find(is);
        if (found === undefined) return;
        this.#waiting = this.#waiting.filter((other) => other !== check);
        resolve(found);
      };
      this.#waiting.push(check);
      check(this.updates);
    });
  }

  /** All of the agent's stdout, also lines that are not protocol. */
  stdout(): string {
    return Buffer.concat(this.#bytes).toString("utf8");
  }
}

/** The text of all chunks of one kind, joined. */
export function textOf(
  updates: readonly SessionUpdate[],
  kind: "user_message_chunk" | "agent_message_chunk" = "agent_message_chunk",
): string {
  return chunksOf(updates, kind).join("");
}

export function chunksOf(
  updates: readonly SessionUpdate[],
  kind: "user_message_chunk" | "agent_message_chunk" = "agent_message_chunk",
): string[] {
  return updates.flatMap((update) =>
    update.sessionUpdate === kind && update.content.type === "text" ? [update.content.text] : [],
  );
}
