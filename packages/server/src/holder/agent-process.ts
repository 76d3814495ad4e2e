/** One agent's process and everything it started, from behind the gate until nothing of it is left. */

import { type ChildProcess, spawn } from "node:child_process";
import { constants } from "node:os";
import type { Duplex, Readable, Writable } from "node:stream";
import type { AgentIdentity, Ending, LaunchSpec } from "./frames.ts";
import { gateFd, gateFor } from "./gate.ts";
import { identify } from "./processes.ts";
import { killRemains, killStrays, markName, sendSignal } from "./remains.ts";
import { Tail } from "./tail.ts";

/** How much of its stderr is told when it is gone. */
const STDERR_TAIL = 4096;
/** Its output is read to the end, but not for ever: whoever inherited it may keep it open. */
const CLOSE_LIMIT = 1_000;
/** As long as the gate itself waits. */
const READY_LIMIT = 5_000;

export interface AgentStart {
  readonly holderId: string;
  readonly spec: LaunchSpec;
  readonly namespaces: boolean;
  readonly umask: number;
  readonly onOutput: (chunk: Buffer) => void;
  /** Called once, when nothing of it can act any more. */
  readonly onGone: (gone: AgentGone) => void;
}

export interface AgentGone {
  readonly code: number | null;
  readonly signal: string | null;
  /** It never got through the gate. */
  readonly neverRan: boolean;
  readonly stderr: string;
}

export class AgentProcess {
  readonly #start: AgentStart;
  readonly #child: ChildProcess;
  readonly #isNamespace: boolean;
  readonly #stderr = new Tail(STDERR_TAIL);
  readonly #identity: AgentIdentity | null;
  readonly #exited: Promise<unknown>;
  #killed: Promise<boolean> = Promise.resolve(true);
  #hasExited = false;
  #gate: "closed" | "ready" | "go" | "passed" = "closed";

  /** The agent itself waits until `go`. */
  constructor(start: AgentStart) {
    const { spec, holderId, namespaces, umask } = start;
    const gate = gateFor(namespaces, umask, spec);
    this.#start = start;
    this.#isNamespace = gate.isNamespace;
    this.#child = spawn(gate.command, gate.args, {
      cwd: spec.cwd,
      env: { ...spec.env, [markName]: holderId },
      stdio: ["pipe", "pipe", "pipe", "pipe"],
      detached: true,
    });
    const { pid } = this.#child;
    this.#identity = pid === undefined ? null : identify(pid);
    this.#exited = new Promise((resolve) => this.#child.once("exit", resolve));
    if (pid === undefined) this.#neverSpawned();
    else this.#listen();
  }

  /** Null when it is gone already, or was never there: then `onGone` follows. */
  get identity(): AgentIdentity | null {
    return this.#identity;
  }

  /** Opens the gate. Before this its identity must be durable. */
  go(): void {
    if (this.#gate === "ready") this.#open();
    else if (this.#gate === "closed") this.#gate = "go";
  }

  write(line: Buffer): void {
    if (!this.#hasExited) this.#stdin.write(line);
  }

  pause(): void {
    // What is in the pipe when it exits is read whatever the spool holds: there is an end to it.
    if (!this.#hasExited) this.#stdout.pause();
  }

  resume(): void {
    this.#stdout.resume();
  }

  /** In steps, from asking to killing. Ending it again, faster, is allowed at any time. */
  async end({ stdinMs, termMs }: Ending): Promise<void> {
    if (this.#hasExited) return;
    this.#stdin.end();
    if (await this.#exitsWithin(stdinMs)) return;
    this.#signalGroup("SIGTERM");
    if (await this.#exitsWithin(termMs)) return;
    await this.#killAll();
  }

  /** What it started and let go of ends; itself, and what is its own, goes on. */
  killStrays(hasWork: AbortSignal): void {
    if (this.#hasExited || this.#identity === null) return;
    const top = { ...this.#identity, isNamespace: this.#isNamespace };
    killStrays(this.#start.holderId, top, hasWork).catch(fail);
  }

  /** For a holder that is going down this instant: all that can be done without waiting. */
  killGroup(): void {
    if (!this.#hasExited) this.#signalGroup("SIGKILL");
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
    // Whoever does not read what is written to it is about to end.
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
    // Whatever takes longer to die is still there, and may write where the next agent would.
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

  /** One after the other, the last when it has exited: none may go on into the next agent's life. */
  #killAll(): Promise<boolean> {
    const { holderId } = this.#start;
    const leaders = this.#identity === null ? [] : [this.#identity];
    this.#killed = this.#killed.then(() => killRemains({ holderId, leaders }));
    return this.#killed;
  }

  #signalGroup(signal: NodeJS.Signals): void {
    if (this.#identity !== null) sendSignal(-this.#identity.pid, signal);
  }

  async #exitsWithin(ms: number): Promise<boolean> {
    if (!this.#hasExited) await within(ms, this.#exited);
    return this.#hasExited;
  }
}

/** A shell says 128 + n of a child that a signal ended. */
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

/** Nothing above could handle it, and a holder in an unknown state must not go on. */
function fail(error: unknown): never {
  throw error;
}
