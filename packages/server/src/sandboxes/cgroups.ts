/**
 * Control groups, which stop, kill and limit a set of processes that none of them can leave. A group
 * is made below the group of this process, on whatever the machine has: version 2, version 1, or
 * both side by side. Each group is one folder per hierarchy, all with the same name.
 */

import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { sendSignal } from "../base/processes.ts";
import type { Limits } from "./shape.ts";

const LOOK_AGAIN = 2;
const prefix = "holdfast-";

export interface Hierarchy {
  readonly version: 1 | 2;
  /** Version 1 names its controllers at the mount, version 2 in each group. */
  readonly controllers: readonly string[];
  /** The folder of the group that this process is in. */
  readonly dir: string;
}

/** Reads /proc/self/mountinfo and /proc/self/cgroup. */
export function hierarchiesIn(mountinfo: string, own: string): Hierarchy[] {
  const groups = own.split("\n").flatMap((line) => {
    const [, names, path] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    return names === undefined || path === undefined ? [] : [{ names: names.split(","), path }];
  });
  return mountinfo.split("\n").flatMap((line) => {
    const [left = "", right = ""] = line.split(" - ");
    const [type, , options = ""] = right.split(" ");
    const [, , , root = "/", mount = ""] = left.split(" ");
    if (type !== "cgroup" && type !== "cgroup2") return [];
    const controllers =
      type === "cgroup2" ? [""] : options.split(",").filter((name) => name !== "rw");
    const group = groups.find(({ names }) => names.every((name) => controllers.includes(name)));
    if (group === undefined) return [];
    const dir = join(mount, relative(root, group.path));
    return [{ version: type === "cgroup2" ? 2 : 1, controllers, dir } as const];
  });
}

export class Cgroups {
  readonly #hierarchies: readonly Hierarchy[];
  readonly #freezer: Hierarchy;

  private constructor(hierarchies: readonly Hierarchy[], freezer: Hierarchy) {
    this.#hierarchies = hierarchies;
    this.#freezer = freezer;
  }

  /** Null where this process may not make groups that can be frozen. */
  static find(): Cgroups | null {
    if (process.platform !== "linux") return null;
    const read = (name: string) => readFileSync(`/proc/self/${name}`, "utf8");
    return Cgroups.among(hierarchiesIn(read("mountinfo"), read("cgroup")));
  }

  static among(hierarchies: readonly Hierarchy[]): Cgroups | null {
    const usable = hierarchies.filter(({ dir }) => canWrite(dir));
    const two = usable.find(({ version, dir }) => version === 2 && canFreeze(dir));
    const one = usable.find(({ controllers }) => controllers.includes("freezer"));
    const freezer = two ?? one;
    return freezer === undefined ? null : new Cgroups(usable, freezer);
  }

  /** Makes the group, or takes the one with this name. */
  make(id: string, limits: Limits): Cgroup {
    const group = this.#at(id);
    group.make(limits);
    return group;
  }

  open(id: string): Cgroup | null {
    const group = this.#at(id);
    return group.exists ? group : null;
  }

  ids(): string[] {
    const names = readdirSync(this.#freezer.dir).filter((name) => name.startsWith(prefix));
    return names.map((name) => name.slice(prefix.length));
  }

  #at(id: string): Cgroup {
    return new Cgroup(this.#hierarchies, this.#freezer, `${prefix}${id}`);
  }
}

/** A limit, its controller, and the files that set it in each version. */
const limitFiles = {
  memoryBytes: { controller: "memory", file: { 1: "memory.limit_in_bytes", 2: "memory.max" } },
  processes: { controller: "pids", file: { 1: "pids.max", 2: "pids.max" } },
  cpuWeight: { controller: "cpu", file: { 1: "cpu.shares", 2: "cpu.weight" } },
} as const;

type LimitName = keyof typeof limitFiles;
const limitNames = Object.keys(limitFiles) as LimitName[];
/** Version 1 counts processor shares from 1024, version 2 from 100. */
const SHARES_PER_WEIGHT = 1024 / 100;

export class Cgroup {
  readonly #hierarchies: readonly Hierarchy[];
  readonly #freezer: Hierarchy;
  readonly #name: string;
  #unlimited: LimitName[] = [];

  constructor(hierarchies: readonly Hierarchy[], freezer: Hierarchy, name: string) {
    this.#hierarchies = hierarchies;
    this.#freezer = freezer;
    this.#name = name;
  }

  get exists(): boolean {
    return existsSync(this.#dir);
  }

  /** The limits that were asked for and that this machine cannot enforce. */
  get unlimited(): readonly LimitName[] {
    return this.#unlimited;
  }

  /** A process joins the group by writing 0 into each of these files. */
  get doors(): string[] {
    return this.#folders().map((dir) => join(dir, "cgroup.procs"));
  }

  make(limits: Limits): void {
    mkdirSync(this.#dir, { recursive: true });
    this.#unlimited = limitNames.filter((name) => {
      const value = limits[name];
      return value !== undefined && !this.#limit(name, value);
    });
  }

  get isEmpty(): boolean {
    if (!this.exists) return true;
    if (this.#freezer.version === 2) return !/^populated 1$/m.test(this.#read("cgroup.events"));
    return this.#pids().length === 0;
  }

  get isFrozen(): boolean {
    return this.#freezer.version === 2
      ? /^frozen 1$/m.test(this.#read("cgroup.events"))
      : this.#read("freezer.state").trim() === "FROZEN";
  }

  /** False when the processes do not stand still in time; they go on then. */
  async freeze(limit: number): Promise<boolean> {
    const end = performance.now() + limit;
    for (;;) {
      // Version 1 has to be told again as long as it is only freezing.
      this.#write(true);
      if (this.isFrozen) return true;
      if (performance.now() > end) break;
      await delay(LOOK_AGAIN);
    }
    this.#write(false);
    return false;
  }

  /** Waits no longer than the limit: below a group that somebody else froze all stay frozen. */
  async thaw(limit: number): Promise<void> {
    this.#write(false);
    const end = performance.now() + limit;
    while (this.isFrozen && performance.now() < end) await delay(LOOK_AGAIN);
  }

  /** Kills every process once, also frozen ones; new ones may have appeared meanwhile. */
  kill(): void {
    if (!this.exists) return;
    const all = join(this.#dir, "cgroup.kill");
    if (existsSync(all)) writeFileSync(all, "1");
    else for (const pid of this.#pids()) sendSignal(pid, "SIGKILL");
    // In version 1 a frozen process dies when it is thawed.
    if (this.#freezer.version === 1) this.#write(false);
  }

  /** Removes an empty group. */
  remove(): void {
    for (const dir of this.#folders()) rmdirSync(dir);
  }

  get #dir(): string {
    return join(this.#freezer.dir, this.#name);
  }

  #folders(): string[] {
    const all = this.#hierarchies.map(({ dir }) => join(dir, this.#name));
    return all.filter((dir) => existsSync(dir));
  }

  #pids(): number[] {
    return this.#read("cgroup.procs").split("\n").filter(Boolean).map(Number);
  }

  #read(name: string): string {
    return readFileSync(join(this.#dir, name), "utf8");
  }

  #write(frozen: boolean): void {
    const isTwo = this.#freezer.version === 2;
    const word = isTwo ? (frozen ? "1" : "0") : frozen ? "FROZEN" : "THAWED";
    writeFileSync(join(this.#dir, isTwo ? "cgroup.freeze" : "freezer.state"), word);
  }

  #limit(name: LimitName, value: number): boolean {
    const { controller, file } = limitFiles[name];
    const at = this.#controlledBy(controller);
    if (at === undefined) return false;
    const dir = join(at.dir, this.#name);
    const amount = name === "cpuWeight" && at.version === 1 ? value * SHARES_PER_WEIGHT : value;
    try {
      mkdirSync(dir, { recursive: true });
      writeFileSync(join(dir, file[at.version]), String(Math.round(amount)));
      return true;
    } catch {
      return false;
    }
  }

  #controlledBy(controller: string): Hierarchy | undefined {
    const isIn = ({ version, controllers, dir }: Hierarchy) =>
      version === 1 ? controllers.includes(controller) : isGiven(controller, dir);
    return this.#hierarchies.find(isIn);
  }
}

/** Version 2: a group below has the controllers that the group above gives it. */
function isGiven(controller: string, dir: string): boolean {
  const given = join(dir, "cgroup.subtree_control");
  const has = () => readFileSync(given, "utf8").trim().split(" ").includes(controller);
  if (has()) return true;
  try {
    writeFileSync(given, `+${controller}`);
    return has();
  } catch {
    // A group that holds processes itself cannot give controllers.
    return false;
  }
}

function canWrite(dir: string): boolean {
  try {
    accessSync(dir, constants.W_OK | constants.X_OK);
    accessSync(join(dir, "cgroup.procs"), constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** The root group has no `cgroup.freeze`, and others have it from Linux 5.2 on. */
function canFreeze(dir: string): boolean {
  if (existsSync(join(dir, "cgroup.freeze"))) return true;
  if (existsSync(join(dir, "cgroup.type")) || dirname(dir) === dir) return false;
  return (
    readdirSync(dir).some((name) => existsSync(join(dir, name, "cgroup.freeze"))) || tried(dir)
  );
}

function tried(dir: string): boolean {
  const trial = join(dir, `${prefix}trial-${process.pid}`);
  try {
    mkdirSync(trial);
    const works = existsSync(join(trial, "cgroup.freeze"));
    rmdirSync(trial);
    return works;
  } catch {
    return false;
  }
}
