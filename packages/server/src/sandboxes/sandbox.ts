/**
 * The port to sandboxes. A sandbox is a set of processes under one id: an agent, and programs beside
 * it in the same shape. The holder owns it, so this code needs no host, and loads cheaply.
 */

import type { ChildProcess, IOType, StdioNull, StdioPipe } from "node:child_process";
import type { Stream } from "node:stream";
import type { Limits, Shape } from "./shape.ts";

export interface ProgramToRun {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Descriptors from 0 on, as `spawn` of Node takes them. */
  readonly stdio: readonly (IOType | StdioNull | StdioPipe | number | Stream)[];
}

/** A program as it is spawned outside: bytes for further descriptors follow the program's own. */
export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly feeds: readonly Buffer[];
}

/**
 * `gone`: none of its processes is left. `unreachable`: that cannot be told now, and nothing may be
 * started in its place.
 */
export type Health = "ready" | "frozen" | "gone" | "unreachable";

export interface Sandboxes {
  readonly provider: "process" | "bubblewrap";
  /** Starts a program in the sandbox, which exists from its first program on. */
  spawn(id: string, shape: Shape, program: ProgramToRun): ChildProcess;
  /** Resolves when no process of the sandbox moves any more; when that fails, all go on. */
  freeze(id: string): Promise<void>;
  /** Lets all processes go on, except those that somebody else had stopped. */
  thaw(id: string): Promise<void>;
  health(id: string): Promise<Health>;
  /** Kills every process, also frozen ones, and resolves when none is left. */
  release(id: string): Promise<void>;
  /** The sandboxes that this machine still has, also those of an earlier process. */
  list(): Promise<string[]>;
  /** The limits of a sandbox that the machine does not enforce. */
  unlimited(id: string): readonly (keyof Limits)[];
}
