/** Owns one agent at a time: reports it in numbered frames, and executes each order once. */

import { type AgentGone, AgentProcess } from "./agent/agent-process.ts";
import { AgentRpc, type SpoolRoom } from "./agent/agent-rpc.ts";
import { holderFiles } from "./directory/files.ts";
import { GracePeriodTimer } from "./directory/grace-period.ts";
import { recordAgent } from "./directory/identity.ts";
import { type HolderLimits, type LaunchFile, limitsOf } from "./directory/launch-file.ts";
import { HolderServer, type HostConnection, type Order } from "./holder-server.ts";
import type { FrameBuilder, NewFrame } from "./spool/frame-batch.ts";
import { FrameLog } from "./spool/frame-log.ts";
import {
  type Ending,
  type HolderHello,
  holderOrders,
  holderProtocol,
  type LaunchSpec,
} from "./spool/frames.ts";
import { Lines } from "./spool/lines.ts";
import { Spool } from "./spool/spool.ts";

/** For an agent that the holder ends by itself: a short time to save its work. */
const ownEnding: Ending = { stdinMs: 500, termMs: 2_000 };
/** A flooding agent gets no time to read its stdin. */
const floodEnding: Ending = { stdinMs: 0, termMs: 500 };

interface HolderOptions {
  readonly dir: string;
  readonly launch: LaunchFile;
  readonly namespaces: boolean;
  /** Called when the holder has no work left and may exit. */
  readonly onLeave: () => void;
}

interface Running {
  readonly process: AgentProcess;
  readonly lines: Lines;
  readonly launchKey: string;
  /** The reason why the holder ends the agent; the first reason stands. */
  reason: string | null;
  /** A line was too long; the output after it is ignored. */
  isCut: boolean;
  discarded: number;
}

export class Holder {
  readonly server: HolderServer;
  readonly #options: HolderOptions;
  readonly #limits: HolderLimits;
  readonly #spool: Spool;
  readonly #log: FrameLog;
  readonly #rpc = new AgentRpc();
  readonly #grace: GracePeriodTimer;
  #agent: Running | null = null;
  #hadAgent = false;
  /** A cancel was sent: the agent's answer is read even if the spool is full. */
  #draining = false;
  /** Aborted by the next request. */
  #hasWork = new AbortController();
  #leaving = false;
  #isFrozen = false;
  #thawTimer: NodeJS.Timeout | undefined;
  #turns: Promise<void> = Promise.resolve();

  constructor(options: HolderOptions) {
    this.#options = options;
    this.#limits = limitsOf(options.launch);
    this.#spool = new Spool(holderFiles(options.dir).spool, this.#limits.segmentBytes);
    this.#log = new FrameLog({
      spool: this.#spool,
      onSpooled: (batch, place) => this.server.host?.sender.offer(batch, place) ?? true,
      onUnstuck: () => this.#settle(),
    });
    this.server = new HolderServer({
      nonce: options.launch.nonce,
      spool: this.#spool,
      hello: () => this.#hello(),
      onOrder: (order, host) => this.#obey(order, host),
      onAck: () => {
        this.#log.retry();
        this.#settle();
      },
      onChange: () => this.#settle(),
    });
    this.#grace = new GracePeriodTimer(options.launch, () => this.leave("grace"));
    this.#settle();
  }

  /** Ends the agent and leaves once the host has every frame. */
  leave(reason: string): void {
    this.#leaving = true;
    this.#end(ownEnding, reason);
    this.#settle();
  }

  /** Kills the agent at once, for the exit of this process. */
  killAgent(): void {
    this.#agent?.process.killGroup();
  }

  #obey(order: Order, host: HostConnection): void {
    switch (order.t) {
      case "launch":
        this.#launch(order.key, order.spec, host);
        break;
      case "request":
        this.#request(order, host);
        break;
      case "notify":
        this.#notify(order, host);
        break;
      case "answer": {
        const line = this.#rpc.answer(order.to, order);
        if (line !== null) this.#write({ k: "answered", key: order.key, to: order.to }, line);
        break;
      }
      case "freeze":
        this.#freeze(order, host);
        break;
      case "thaw":
        if (this.#takes(order.key, host)) this.#thaw(order.key, "asked");
        break;
      case "end":
        this.#leaving ||= order.leave;
        this.#end(order.ending, "asked");
        break;
    }
    this.#settle();
  }

  #launch(key: string, spec: LaunchSpec, host: HostConnection): void {
    const { keys } = this.#rpc;
    if (keys.state(key).is !== "new") return;
    if (this.#agent !== null) {
      host.refuse(key, "agent_runs", "Its agent still runs. End it first.");
      return;
    }
    const { dir, launch, namespaces } = this.#options;
    keys.spend(key);
    const lines = new Lines(this.#limits.maxLineBytes);
    try {
      const agent = new AgentProcess({
        holderId: launch.holderId,
        spec,
        namespaces,
        umask: launch.umask,
        onOutput: (chunk) => this.#hear(chunk),
        onGone: (gone) => this.#gone(gone),
      });
      const begun = { launchKey: key, reason: null, isCut: false, discarded: 0 };
      this.#agent = { process: agent, lines, ...begun };
      this.#hadAgent = true;
      if (agent.identity === null) return;
      recordAgent(dir, agent.identity);
      this.#add({ k: "launched", key, agent: agent.identity }, () => agent.go());
    } catch (error) {
      this.#launchFailed(key, error);
    }
  }

  /** A process that was spawned still waits behind its gate; it could not be recorded, so it is ended. */
  #launchFailed(key: string, error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    if (this.#agent === null) {
      this.#addExit([key], 0, { code: null, signal: null, neverRan: true, stderr: message });
    } else {
      process.stderr.write(`${message}\n`);
      this.#end(floodEnding, "launch_failed");
    }
  }

  #request(order: Extract<Order, { t: "request" }>, host: HostConnection): void {
    const { keys } = this.#rpc;
    const state = keys.state(order.key);
    if (state.is === "answered") host.reply(order.key, state.line);
    else if (state.is === "spent") host.reply(order.key, null);
    else if (state.is === "new" && this.#hasAgent(order.key, host)) {
      this.#draining = false;
      this.#hasWork.abort();
      const line = this.#rpc.request(order.key, order.method, order.params);
      this.#write({ k: "sent", key: order.key }, line);
    }
  }

  #notify(order: Extract<Order, { t: "notify" }>, host: HostConnection): void {
    const isNew = this.#rpc.keys.state(order.key).is === "new";
    if (!isNew || !this.#hasAgent(order.key, host)) return;
    this.#draining ||= order.drain === true;
    const line = this.#rpc.notification(order.key, order.method, order.params);
    this.#write({ k: "sent", key: order.key }, line);
    // The turn may have ended before its cancel arrived.
    this.#clearUp();
  }

  /** Every new order is confirmed by a frame, also one that finds the agent as it should be. */
  #freeze({ key, limitMs }: Extract<Order, { t: "freeze" }>, host: HostConnection): void {
    if (!this.#takes(key, host)) return;
    this.#inTurn(async (agent) => {
      this.#isFrozen ||= await agent.process.freeze();
      if (this.#agent !== agent) return;
      this.#add(this.#isFrozen ? { k: "frozen", key } : { k: "thawed", key, why: "not_still" });
      if (!this.#isFrozen || limitMs === undefined) return;
      clearTimeout(this.#thawTimer);
      this.#thawTimer = setTimeout(() => this.#thaw(null, "limit"), limitMs);
    });
  }

  #thaw(key: string | null, why: "asked" | "limit"): void {
    this.#inTurn(async (agent) => {
      const wasFrozen = this.#isFrozen;
      if (!wasFrozen && key === null) return;
      clearTimeout(this.#thawTimer);
      this.#isFrozen = false;
      this.#add({ k: "thawed", key, why });
      if (wasFrozen) await agent.process.thaw();
    });
  }

  /** True for a new key while there is an agent; the key is then spent. */
  #takes(key: string, host: HostConnection): boolean {
    const { keys } = this.#rpc;
    if (keys.state(key).is !== "new" || !this.#hasAgent(key, host)) return false;
    keys.spend(key);
    return true;
  }

  /** Freezes and thaws run one after the other, each for the agent that it was ordered for. */
  #inTurn(act: (agent: Running) => Promise<void>): void {
    const agent = this.#agent;
    if (agent === null) return;
    this.#turns = this.#turns.then(() => (this.#agent === agent ? act(agent) : undefined));
    this.#turns.catch((error: unknown) => {
      throw error;
    });
  }

  /** An agent that is being ended no longer reads its stdin, so a `sent` frame would be false. */
  #hasAgent(key: string, host: HostConnection): boolean {
    const hears = this.#agent !== null && this.#agent.reason === null;
    if (!hears) host.refuse(key, "no_agent", "There is no agent. Launch one first.");
    return hears;
  }

  /** Writes the line only after its frame is spooled. */
  #write(frame: NewFrame, line: Buffer): void {
    const agent = this.#agent?.process;
    this.#add(frame, () => agent?.write(line));
  }

  #add(frame: NewFrame, then?: () => void): void {
    const frames = this.#log.begin();
    frames.add(frame);
    this.#log.append(frames, then);
  }

  #hear(chunk: Buffer): void {
    const agent = this.#agent;
    if (agent === null) return;
    const frames = this.#log.begin();
    const isSane = agent.lines.push(chunk, (bytes, from, to) => {
      this.#hearLine(agent, frames, bytes, from, to);
    });
    this.#log.append(frames);
    if (!isSane && !agent.isCut) {
      agent.isCut = true;
      this.#end(floodEnding, "line_too_long");
    }
    this.#settle();
  }

  #hearLine(agent: Running, frames: FrameBuilder, bytes: Buffer, from: number, to: number): void {
    const isTaken = this.#rpc.hear(frames, bytes, from, to, this.#room);
    if (!isTaken) agent.discarded += to - from + 1;
    this.#clearUp();
  }

  /** Starts to kill detached processes of a cancelled turn, before its end is reported to the host. */
  #clearUp(): void {
    if (!this.#draining || this.#rpc.keys.hasPending) return;
    this.#draining = false;
    this.#hasWork = new AbortController();
    this.#agent?.process.killStrays(this.#hasWork.signal);
  }

  #gone(gone: AgentGone): void {
    const agent = this.#agent;
    if (agent === null) return;
    const frames = this.#log.begin();
    agent.lines.rest((bytes, from, to) => this.#hearLine(agent, frames, bytes, from, to));
    this.#log.append(frames);
    this.#addExit(gone.neverRan ? [agent.launchKey] : [], agent.discarded, gone, agent.reason);
    this.#agent = null;
    this.#draining = false;
    this.#isFrozen = false;
    clearTimeout(this.#thawTimer);
    this.#settle();
  }

  #addExit(
    failed: readonly string[],
    discarded: number,
    gone: AgentGone,
    why: string | null = null,
  ): void {
    const { lost, dead } = this.#rpc.end();
    const { code, signal, neverRan, stderr } = gone;
    const reason = why ?? (neverRan ? "launch_failed" : null);
    this.#add({
      k: "exit",
      code,
      signal,
      reason,
      lost: [...failed, ...lost],
      dead,
      discarded,
      stderr,
    });
  }

  #end(ending: Ending, reason: string): void {
    const agent = this.#agent;
    if (agent === null) return;
    agent.reason ??= reason;
    // A frozen agent could not react to the end of its stdin.
    this.#thaw(null, "asked");
    agent.process.end(ending).catch((error) => {
      throw error;
    });
  }

  get #isFull(): boolean {
    return this.#log.isStuck || this.#spool.bytes >= this.#limits.maxSpoolBytes;
  }

  get #room(): SpoolRoom {
    if (!this.#draining || !this.#isFull) return "all";
    const isTooFull = this.#log.isStuck || this.#spool.bytes >= 2 * this.#limits.maxSpoolBytes;
    return isTooFull ? "answers" : "calls";
  }

  /** Applies the current state: pauses or resumes the agent's output, sets the grace, exits when done. */
  #settle(): void {
    const agent = this.#agent?.process;
    if (this.#isFull && !this.#draining) agent?.pause();
    else agent?.resume();

    if (this.#leaving) this.#grace.stop();
    else this.#grace.update(this.server.host !== null, this.#rpc.isOpen);
    if (this.#isDone) this.#options.onLeave();
  }

  /** With a host the last frame must be acknowledged; without one the spool must be complete. */
  get #isDone(): boolean {
    if (!this.#leaving || this.#agent !== null || this.#log.isStuck) return false;
    return this.server.host === null || this.#spool.acked === this.#log.last;
  }

  #hello(): HolderHello {
    const { holderId, sessionId, nonce, version } = this.#options.launch;
    return {
      t: "hello",
      protocol: holderProtocol,
      version,
      nonce,
      holderId,
      sessionId,
      pid: process.pid,
      last: this.#spool.last,
      agent: this.#agent === null ? (this.#hadAgent ? "exited" : "none") : "running",
      pending: this.#rpc.keys.pending,
      orders: holderOrders,
    };
  }
}
