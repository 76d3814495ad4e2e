/** Drives the bridge with the official ACP client, on the stdio of its process. */

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import {
  type ClientConnection,
  client,
  type McpServer,
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
import { claudeBridge } from "../launch.ts";
import type { Step } from "./sdk/sdk.ts";

export const fakeSdk = fileURLToPath(new URL("./sdk", import.meta.url));

/**
 * The directories that outlive a bridge: its state, the fake SDK's transcripts, and the workspace.
 */
export interface Place {
  readonly cwd: string;
  readonly state: string;
  readonly config: string;
}

export function aPlace(newDirectory: () => string): Place {
  return { cwd: newDirectory(), state: newDirectory(), config: newDirectory() };
}

const started = new Set<Bridge>();

/** Ends every bridge that was started; an orderly exit keeps its compiled sources for the next. */
export async function endBridges(): Promise<void> {
  for (const bridge of started) await bridge.end();
  started.clear();
}

export async function startBridge(place: Place, sdk = fakeSdk): Promise<Bridge> {
  const bridge = new Bridge(place, sdk);
  await bridge.initialize();
  return bridge;
}

export class Bridge {
  readonly process: ChildProcess;
  readonly updates: SessionUpdate[] = [];
  readonly asked: RequestPermissionRequest[] = [];
  /** The exit code, or the signal that ended it. */
  readonly exited: Promise<number | string>;
  stderr = "";
  /** The `_meta` of the next answers. */
  answerMeta: Record<string, unknown> | null = null;
  /** Answers the next permission requests; tests replace it. */
  answer = async (): Promise<RequestPermissionOutcome> => ({
    outcome: "selected",
    optionId: "allow_once",
  });
  readonly #place: Place;
  readonly #connection: ClientConnection;
  #onUpdate = () => {};

  constructor(place: Place, sdk = fakeSdk) {
    const { command, args, env } = claudeBridge(sdk, place.state);
    const child = spawn(command, args, {
      cwd: place.cwd,
      env: {
        PATH: "/usr/bin:/bin",
        CLAUDE_CONFIG_DIR: place.config,
        MARK: place.state,
        ...compileCache,
        ...env,
      },
      stdio: ["pipe", "pipe", "pipe"],
      detached: true,
    });
    this.process = child;
    this.#place = place;
    started.add(this);
    this.exited = new Promise((resolve) =>
      child.once("close", (code, signal) => resolve(code ?? signal ?? "")),
    );
    // Writing to a killed bridge fails; `exited` reports its end.
    child.stdin.on("error", () => undefined);
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
      this.stderr += chunk;
    });
    this.#connection = client({ name: "test" })
      .onNotification(methods.client.session.update, ({ params }) => {
        this.updates.push(params.update);
        this.#onUpdate();
      })
      .onRequest(methods.client.session.requestPermission, async ({ params }) => {
        this.asked.push(params);
        return { outcome: await this.answer(), _meta: this.answerMeta };
      })
      .connect(
        ndJsonStream(
          Writable.toWeb(child.stdin),
          Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>,
        ),
      );
  }

  initialize() {
    return this.#connection.agent.request(methods.agent.initialize, { protocolVersion: 1 });
  }

  async newSession(mcpServers: McpServer[] = []): Promise<string> {
    const request: NewSessionRequest = { cwd: this.#place.cwd, mcpServers };
    const { sessionId } = await this.#connection.agent.request(methods.agent.session.new, request);
    return sessionId;
  }

  async load(sessionId: string, at?: string): Promise<void> {
    const request = { sessionId, ...this.#opening(at), mcpServers: [] };
    await this.#connection.agent.request(methods.agent.session.load, request);
  }

  async fork(sessionId: string, at?: string): Promise<string> {
    const request = { sessionId, ...this.#opening(at) };
    const forked = await this.#connection.agent.request<{ sessionId: string }>(
      "session/fork",
      request,
    );
    return forked.sessionId;
  }

  prompt(sessionId: string, ...script: Step[]): Promise<PromptResponse> {
    const text = JSON.stringify(script);
    const request: PromptRequest = { sessionId, prompt: [{ type: "text", text }] };
    const response = this.#connection.agent.request(methods.agent.session.prompt, request);
    // A test that kills the bridge ignores the pending response.
    response.catch(() => undefined);
    return response;
  }

  cancel(sessionId: string): Promise<void> {
    return this.#connection.agent.notify(methods.agent.session.cancel, { sessionId });
  }

  /** Resolves with the first matching update, earlier or later. */
  update(is: (update: SessionUpdate) => boolean): Promise<SessionUpdate> {
    const { promise, resolve } = Promise.withResolvers<SessionUpdate>();
    this.#onUpdate = () => {
      const found = this.updates.find(is);
      if (found !== undefined) resolve(found);
    };
    this.#onUpdate();
    return promise;
  }

  async end(): Promise<void> {
    this.process.kill("SIGTERM");
    await this.exited;
  }

  /** Kills the process group with SIGKILL. */
  async kill(): Promise<void> {
    const { pid, exitCode, signalCode } = this.process;
    if (pid !== undefined && exitCode === null && signalCode === null)
      process.kill(-pid, "SIGKILL");
    await this.exited;
  }

  #opening(at: string | undefined) {
    const meta = at === undefined ? {} : { _meta: { holdfast: { resumeSessionAt: at } } };
    return { cwd: this.#place.cwd, ...meta };
  }
}

/** The queries the fake received so far, and the answers to its requests. */
export function askedOf({ config }: Place): { readonly options?: Record<string, unknown> }[] {
  const file = join(config, "asked.jsonl");
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line));
}

export const optionsAsked = (place: Place) =>
  askedOf(place).flatMap(({ options }) => (options === undefined ? [] : [options]));

/** Sets the fake's transcript of a session. */
export function remember({ config }: Place, sessionId: string, messages: readonly object[]): void {
  writeFileSync(join(config, `${sessionId}.json`), JSON.stringify(messages));
}
