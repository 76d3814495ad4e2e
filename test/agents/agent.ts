/** One real agent in its own process, driven by the official ACP client. */

import { type ChildProcess, spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";
import {
  type ClientConnection,
  client,
  type InitializeResponse,
  methods,
  type NewSessionResponse,
  ndJsonStream,
  type PromptResponse,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import { familyOf } from "../hostile/processes.ts";
import { eventually, survivorsIn } from "../rounds/survivors.ts";
import { kill } from "../rounds/worlds.ts";
import type { Launch } from "./known.ts";
import type { World } from "./worlds.ts";

/**
 * Timeout for one answer: the first start of some agents takes most of a minute on a busy machine.
 */
const PATIENCE = 120_000;
const GONE_WITHIN = 10_000;

export class Agent {
  readonly updates: SessionUpdate[] = [];
  readonly asked: RequestPermissionRequest[] = [];
  stderr = "";
  readonly #world: World;
  readonly #child: ChildProcess;
  readonly #closed: Promise<unknown>;
  readonly #connection: ClientConnection;

  constructor(world: World, { command, args, env }: Launch) {
    this.#world = world;
    const child = spawn(command, args, {
      cwd: world.workspace,
      // The rest of the environment is hidden, so that an agent cannot find a real key.
      env: {
        PATH: process.env.PATH ?? "",
        HOME: world.home,
        TERM: "dumb",
        LANG: "C.UTF-8",
        ...env,
      },
      stdio: ["pipe", "pipe", "pipe"],
      detached: true,
    });
    this.#child = child;
    this.#closed = new Promise((resolve) => {
      child.once("close", resolve);
      child.once("error", (error) => {
        this.stderr += error.message;
        resolve(error);
      });
    });
    // Writing to a killed agent fails; its exit is reported elsewhere.
    child.stdin.on("error", () => undefined);
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
      this.stderr = (this.stderr + chunk).slice(-4000);
    });
    this.#connection = client({ name: "holdfast-test" })
      .onNotification(methods.client.session.update, ({ params }) => {
        this.updates.push(params.update);
      })
      .onRequest(methods.client.session.requestPermission, ({ params }) => this.#allow(params))
      .connect(
        ndJsonStream(
          Writable.toWeb(child.stdin),
          Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>,
        ),
      );
  }

  initialize(): Promise<InitializeResponse> {
    return this.#answered(
      this.#connection.agent.request(methods.agent.initialize, {
        protocolVersion: 1,
        clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
      }),
    );
  }

  async newSession(): Promise<string> {
    const request = { cwd: this.#world.workspace, mcpServers: [] };
    const { sessionId } = await this.#answered<NewSessionResponse>(
      this.#connection.agent.request(methods.agent.session.new, request),
    );
    return sessionId;
  }

  async load(sessionId: string): Promise<void> {
    const request = { sessionId, cwd: this.#world.workspace, mcpServers: [] };
    await this.#answered(this.#connection.agent.request(methods.agent.session.load, request));
  }

  async setMode(sessionId: string, modeId: string): Promise<void> {
    const request = { sessionId, modeId };
    await this.#answered(this.#connection.agent.request(methods.agent.session.setMode, request));
  }

  prompt(sessionId: string, text: string): Promise<PromptResponse> {
    const request = { sessionId, prompt: [{ type: "text" as const, text }] };
    return this.#answered(this.#connection.agent.request(methods.agent.session.prompt, request));
  }

  /** Kills the agent and all its processes with SIGKILL. */
  async kill(): Promise<void> {
    const { pid, exitCode, signalCode } = this.#child;
    if (pid === undefined) return;
    // The pid of an ended process may be reused, so survivors are found by their folder.
    const isRunning = exitCode === null && signalCode === null;
    for (const member of isRunning ? [...familyOf(pid), -pid] : []) kill(member);
    const survivors = () => survivorsIn(this.#world.folder);
    for (const survivor of survivors()) kill(survivor.pid);
    if ((await eventually(() => survivors().length === 0, GONE_WITHIN)) === null) {
      const left = survivors().map(({ argv }) => argv);
      throw new Error(`still running: ${left.join("; ")}`);
    }
    await this.#closed;
  }

  /** Allows the call once, if the agent has that option. */
  #allow({ options, ...request }: RequestPermissionRequest): RequestPermissionResponse {
    this.asked.push({ options, ...request });
    const option = options.find(({ kind }) => kind === "allow_once") ?? options[0];
    if (option === undefined) return { outcome: { outcome: "cancelled" } };
    return { outcome: { outcome: "selected", optionId: option.optionId } };
  }

  async #answered<T>(response: Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no answer in ${PATIENCE} ms`)), PATIENCE);
    });
    try {
      return await Promise.race([response, late]);
    } catch (error) {
      throw new Error(`${described(error)}; it said last: ${this.stderr.trim().slice(-500)}`);
    } finally {
      clearTimeout(timer);
    }
  }
}

function described(error: unknown): string {
  const { message, code, data } = error as { message: string; code?: number; data?: unknown };
  return [code, message, data && JSON.stringify(data)].filter(Boolean).join(" ");
}
