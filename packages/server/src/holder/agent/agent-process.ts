/** One agent's process and all its descendants, from the gate until the last of them has ended. */

import type { ChildProcess } from "node:child_process";
import { constants } from "node:os";
import type { Duplex, Readable, Writable } from "node:stream";
import { identify, listProcesses, sendSignal } from "../../base/processes.ts";
import type { Sandboxes } from "../../sandboxes/sandbox.ts";
import {
  agentBelow,
  killDetachedProcesses,
  killHolderProcesses,
  markName,
} from "../processes/holder-processes.ts";
import type { AgentIdentity, Ending, LaunchSpec } from "../spool/frames.ts";
import { gateFd, gateFor } from "./gate.ts";
import { LastBytes } from "./last-bytes.ts";
import { sandboxOf } from "./sandbox-of.ts";

const STDERR_TAIL = 4096;
/** Time for reading the rest of its output; an inherited copy of the pipe could keep it open forever. */
const CLOSE_LIMIT = 1_000;
/** The gate itself waits as long. */
const READY_LIMIT = 5_000;

interface AgentStart {
  readonly holderId: string;
  readonly spec: LaunchSpec;
  readonly namespaces: boolean;
  readonly umask: number;
  readonly onOutput: (chunk: Buffer) => void;
  /** Called once, when all processes of the agent have ended. */
  readonly onGone: (gone: AgentGone) => void;
}

export interface AgentGone {
  readonly code: number | null;
  readonly signal: string | null;
  /** True when the agent never passed the gate. */
  readonly neverRan: boolean;
  readonly stderr: string;
}

export class AgentProcess {
  readonly #start: AgentStart;
  readonly #child: ChildProcess;
  readonly #sandboxes: Sandboxes;
  readonly #isNamespace: boolean;
  readonly #stderr = new LastBytes(STDERR_TAIL);
  readonly #identity: AgentIdentity | null;
  readonly #exited: Promise<unknown>;
  #killed: Promise<boolean> = Promise.resolve(true);
  #hasExited = false;
  #gate: "closed" | "ready" | "go" | "passed" = "closed";

  /** Starts the gate; the agent itself waits until `go`. */
  constructor(start: AgentStart) {
    const { spec, holderId, namespaces, umask } = start;
    const { sandboxes, shape, isBoundary } = sandboxOf(spec);
    const gate = gateFor(namespaces && !isBoundary, umask, spec);
    this.#start = start;
    this.#sandboxes = sandboxes;
    this.#isNamespace = gate.isNamespace || isBoundary;
    this.#child = sandboxes.spawn(holderId, shape, {
      command: gate.command,
      args: gate.args,
      env: { ...spec.env, [markName]: holderId },
      stdio: ["pipe", "pipe", "pipe", "pipe"],
    });
    const { pid } = this.#child;
    this.#identity = pid === undefined ? null : identify(pid);
    this.#exited = new Promise((resolve) => this.#child.once("exit", resolve));
    if (pid === undefined) this.#neverSpawned();
    else this.#listen();
  }

  /** Null when the process has already exited, or could not be spawned; `onGone` follows then. */
  get identity(): AgentIdentity | null {
    return this.#identity;
  }

  /** Opens the gate. The agent's identity must be durable before. */
  go(): void {
    if (this.#gate === "ready") this.#open();
    else if (this.#gate === "closed") this.#gate = "go";
  }

  write(line: Buffer): void {
    if (!this.#hasExited) this.#stdin.write(line);
  }

  pause(): void {
    // After the exit the rest of the pipe is read even if the spool is full, because it is bounded.
    if (!this.#hasExited) this.#stdout.pause();
  }

  resume(): void {
    this.#stdout.resume();
  }

  /** False when its processes did not stand still in time; they go on then. */
  freeze(): Promise<boolean> {
    return this.#sandboxes.freeze(this.#start.holderId).then(
      () => true,
      () => false,
    );
  }

  thaw(): Promise<void> {
    return this.#sandboxes.thaw(this.#start.holderId);
  }

  /** Ends the agent: closes stdin, then SIGTERM, then SIGKILL; callable again with less time. */
  async end({ stdinMs, termMs }: Ending): Promise<void> {
    if (this.#hasExited) return;
    this.#stdin.end();
    if (await this.#exitsWithin(stdinMs)) return;
    this.#terminate();
    if (await this.#exitsWithin(termMs)) return;
    await this.#killAll();
  }

  /** Kills detached processes that the agent started; the agent and its own descendants continue. */
  killStrays(hasWork: AbortSignal): void {
    if (this.#hasExited || this.#identity === null) return;
    const top = { ...this.#identity, isNamespace: this.#isNamespace };
    killDetachedProcesses(this.#start.holderId, top, hasWork).catch(fail);
  }

  /** Kills the agent's process group at once; for a holder that is exiting. */
  killGroup(): void {
    if (!this.#hasExited && this.#identity !== null) sendSignal(-this.#identity.pid, "SIGKILL");
  }

  get #stdin(): Writable {
    return this.#child.stdin as Writable;
  }

  get #stdout(): Readable {
    return this.#child.stdout as Readable;
  }

  get #line(): Duplex {
    return this.#child.stdio[gateFd] as unknown as Duplex;
  }

  #neverSpawned(): void {
    this.#hasExited = true;
    this.#child.once("error", ({ message }) => {
      this.#start.onGone({ code: null, signal: null, neverRan: true, stderr: message });
    });
  }

  #listen(): void {
    // Writes to a process that is ending fail, and its exit is handled below.
    for (const stream of [this.#stdin, this.#line]) stream.on("error", () => undefined);
    this.#stdout.on("data", this.#start.onOutput);
    this.#child.stderr?.on("data", (chunk: Buffer) => this.#stderr.push(chunk));
    const stuck = setTimeout(() => this.#giveUp(), READY_LIMIT);
    this.#line.once("data", () => {
      clearTimeout(stuck);
      const mayGo = this.#gate === "go";
      this.#gate = "ready";
      if (mayGo) this.#open();
    });
    this.#child.once("exit", (code, signal) => {
      clearTimeout(stuck);
      this.#collect(code, signal).catch(fail);
    });
  }

  #open(): void {
    this.#gate = "passed";
    this.#line.end("go\n", () => this.#line.destroy());
  }

  #giveUp(): void {
    this.#stderr.push(Buffer.from("The gate in front of the agent did not open."));
    this.#killAll().catch(fail);
  }

  async #collect(code: number | null, signal: NodeJS.Signals | null): Promise<void> {
    this.#hasExited = true;
    const closed = new Promise((resolve) => this.#child.once("close", resolve));
    // Waits for every process, because one that is left could write where the next agent works.
    while (!(await this.#killAll()));
    this.resume();
    await within(CLOSE_LIMIT, closed);
    for (const stream of this.#child.stdio) stream?.destroy();
    const died = this.#isNamespace && signal === null ? signalOf(code) : signal;
    this.#start.onGone({
      code: died === null ? code : null,
      signal: died,
      neverRan: this.#gate !== "passed",
      stderr: this.#stderr.text,
    });
  }

  /** Runs kills one after the other, so that none continues into the time of the next agent. */
  #killAll(): Promise<boolean> {
    const { holderId } = this.#start;
    const leaders = this.#identity === null ? [] : [this.#identity];
    this.#killed = this.#killed.then(() => killHolderProcesses({ holderId, leaders }));
    return this.#killed;
  }

  /** Sends SIGTERM to the agent's group; in a sandbox it is not the group of the spawned process. */
  #terminate(): void {
    if (this.#identity === null) return;
    const top = { ...this.#identity, isNamespace: this.#isNamespace };
    const agent = agentBelow(listProcesses(), top);
    sendSignal(-(agent?.group ?? top.pid), "SIGTERM");
  }

  async #exitsWithin(ms: number): Promise<boolean> {
    if (!this.#hasExited) await within(ms, this.#exited);
    return this.#hasExited;
  }
}

/** A shell reports 128 + n for a child that signal n ended. */
function signalOf(code: number | null): string | null {
  const number = (code ?? 0) - 128;
  const [name] = Object.entries(constants.signals).find(([, value]) => value === number) ?? [];
  return name ?? null;
}

async function within(ms: number, event: Promise<unknown>): Promise<void> {
  const limit = Promise.withResolvers<void>();
  const timer = setTimeout(limit.resolve, ms);
  await Promise.race([event, limit.promise]);
  clearTimeout(timer);
}

/** Makes a rejection fatal: a holder in an unknown state must not continue. */
function fail(error: unknown): never {
  throw error;
}
