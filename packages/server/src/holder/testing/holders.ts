/** Real holders for tests, in directories of their own; `endHolders` ends all their processes. */

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { activityOf, isSameProcess } from "../../base/processes.ts";
import { holderFiles } from "../directory/files.ts";
import { readAgent, readIdentity } from "../directory/identity.ts";
import type { LaunchFile } from "../directory/launch-file.ts";
import { connectHolder, type Link } from "../host-side/link.ts";
import { killHolder } from "../host-side/liveness.ts";
import { spawnHolder } from "../host-side/spawn.ts";
import { holderEnvironment, noNamespace } from "../processes/config.ts";
import { findHolderProcesses } from "../processes/holder-processes.ts";
import type { Frame, LaunchSpec, Refused, Reply } from "../spool/frames.ts";

const agentFile = fileURLToPath(new URL("./scripted-agent.mjs", import.meta.url));
const open: TestHolder[] = [];
let root: string | null = null;
let count = 0;

export interface TestHolderOptions extends Partial<LaunchFile> {
  readonly namespaces?: boolean;
  readonly root?: string;
}

export async function startHolder(options: TestHolderOptions = {}): Promise<TestHolder> {
  const { namespaces = true, root = holdersRoot(), ...launch } = options;
  const holder = new TestHolder(`holder-${process.pid}-${++count}`, root);
  open.push(holder);
  await spawnHolder({
    root,
    holderId: holder.id,
    sessionId: "session",
    nonce: `nonce-${count}`,
    version: "test",
    umask: 0o022,
    graceIdleMs: 60_000,
    graceOpenMs: 60_000,
    environment: { ...holderEnvironment(), ...(namespaces ? {} : { [noNamespace]: "1" }) },
    ...launch,
  });
  return holder;
}

/** One directory for all tests of a file, because holders share their compile cache. */
export function holdersRoot(): string {
  root ??= mkdtempSync(join(tmpdir(), "holdfast-holders-"));
  return root;
}

/** Call in `afterEach`. */
export async function endHolders(): Promise<void> {
  for (const holder of open.splice(0)) {
    await holder.kill();
    rmSync(holder.dir, { recursive: true });
  }
}

/** Call in `afterAll`. */
export function removeHolders(): void {
  if (root !== null) rmSync(root, { recursive: true, force: true });
  root = null;
}

/** The launch spec of `scripted-agent.mjs`. */
export function agentSpec(...options: readonly string[]): LaunchSpec {
  const { PATH = "/usr/bin:/bin" } = holderEnvironment();
  const args = [agentFile, ...options];
  return { command: process.execPath, args, cwd: tmpdir(), env: { PATH } };
}

/** Polls until `look` finds something; throws after a time limit. Wait for a fact, never for a time. */
export async function until<T>(what: string, look: () => T | null | undefined | false): Promise<T> {
  const end = performance.now() + 20_000;
  for (;;) {
    const found = look();
    if (found !== null && found !== undefined && found !== false) return found;
    if (performance.now() > end) throw new Error(`Waited in vain for ${what}.`);
    await delay(2);
  }
}

export class TestHolder {
  readonly id: string;
  readonly dir: string;
  constructor(id: string, root = holdersRoot()) {
    this.id = id;
    this.dir = join(root, id);
  }

  get pid(): number {
    const identity = readIdentity(this.dir);
    if (identity?.kind !== "holder") throw new Error("It never lived.");
    return identity.pid;
  }

  get isThere(): boolean {
    const identity = readIdentity(this.dir);
    return identity?.kind === "holder" && isSameProcess(identity);
  }

  get log(): string {
    return readFileSync(holderFiles(this.dir).log, "utf8");
  }

  async connect(
    options: { epoch?: number; acked?: number; acks?: boolean } = {},
  ): Promise<TestHost> {
    const { epoch = 1, acked = 0, acks = true } = options;
    const host = new TestHost();
    const link = await connectHolder({
      dir: this.dir,
      epoch,
      acked,
      timeoutMs: 5_000,
      onReply: (reply) => host.replies.push(reply),
      onRefused: (refused) => host.refusals.push(refused),
    });
    host.follow(link, acks);
    return host;
  }

  /** The path of a test's own file, which is removed with the holder. */
  file(name: string): string {
    return join(this.dir, `test-${name}`);
  }

  /** All running processes of its agents. */
  processes(): number[] {
    const agent = readAgent(this.dir);
    const leaders = agent !== null && isSameProcess(agent) ? [agent] : [];
    return findHolderProcesses({ holderId: this.id, leaders }).map(({ pid }) => pid);
  }

  /** True when its agents have processes, and all are stopped, or wait for a stopped child in vfork. */
  standsStill(): boolean {
    const pids = this.processes();
    return pids.length > 0 && pids.every((pid) => /[TD]/.test(activityOf(pid)?.state ?? ""));
  }

  /** Kills the holder with SIGKILL. */
  crash(): void {
    process.kill(this.pid, "SIGKILL");
  }

  async kill(): Promise<void> {
    if (!(await killHolder(this.dir))) throw new Error(`Something of ${this.id} does not die.`);
  }
}

/** A host that records all messages of a holder. */
export class TestHost {
  readonly frames: Frame[] = [];
  readonly replies: Reply[] = [];
  readonly refusals: Refused[] = [];
  #link: Link | null = null;
  #over: Promise<unknown> = Promise.resolve();

  get link(): Link {
    if (this.#link === null) throw new Error("It is not connected.");
    return this.#link;
  }

  follow(link: Link, acks: boolean): void {
    this.#link = link;
    this.#over = (async () => {
      for await (const frames of link.frames) {
        this.frames.push(...frames);
        if (acks) link.ack(this.last);
      }
    })().catch((error: unknown) => error);
  }

  get last(): number {
    return this.frames.at(-1)?.n ?? 0;
  }

  /** The error that ended the link; undefined after a normal end. */
  async over(): Promise<unknown> {
    return await this.#over;
  }

  of<K extends Frame["k"]>(kind: K): Extract<Frame, { k: K }>[] {
    return this.frames.filter((frame) => frame.k === kind) as Extract<Frame, { k: K }>[];
  }

  async launched(spec: LaunchSpec = agentSpec(), key = "launch/1"): Promise<void> {
    this.link.launch(key, spec);
    await this.sees("launched", (frame) => frame.key === key);
  }

  /** The result of a request, from its response frame. */
  async asks(key: string, method: string, params = {}): Promise<unknown> {
    this.link.request(key, method, params);
    return (await this.sees("response", (frame) => frame.key === key)).line.result;
  }

  async sees<K extends Frame["k"]>(
    kind: K,
    is: (frame: Extract<Frame, { k: K }>) => boolean = () => true,
  ): Promise<Extract<Frame, { k: K }>> {
    return await until(`a frame "${kind}"`, () => this.of(kind).find(is));
  }
}
