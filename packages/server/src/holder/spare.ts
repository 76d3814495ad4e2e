/**
 * A holder that is loaded and waits to be told which one it is: starting Node and reading its modules
 * is most of what a launch costs. It waits on a pipe of its host, so that it goes with the host,
 * whatever way that ends; told its directory, it is a holder like any other.
 */

import { type ChildProcess, spawn } from "node:child_process";
import type { Writable } from "node:stream";
import { holderArguments, holderVariables } from "./command.ts";

export class SpareHolder {
  readonly #root: string;
  #waiting: ChildProcess | null = null;
  #isOver = false;

  /** `root` is the directory of all holders. */
  constructor(root: string) {
    this.#root = root;
  }

  /** Of the one that waits. */
  get pid(): number | null {
    return this.#waiting?.pid ?? null;
  }

  /** One more, unless one waits already. */
  fill(): void {
    if (this.#isOver || this.#waiting !== null) return;
    const child = spawn(process.execPath, holderArguments(), {
      cwd: "/",
      env: holderVariables(this.#root),
      stdio: ["pipe", "ignore", "ignore"],
      detached: true,
    });
    const gone = () => {
      if (this.#waiting === child) this.#waiting = null;
    };
    child.once("exit", gone);
    child.once("error", gone);
    const stdin = child.stdin as Writable & { unref(): void };
    // It may go at any time, and a launch then finds none.
    stdin.on("error", () => undefined);
    stdin.unref();
    child.unref();
    this.#waiting = child;
  }

  /** Null when none waits. */
  take(dir: string): ChildProcess | null {
    const child = this.#waiting;
    this.#waiting = null;
    child?.stdin?.end(`${dir}\n`);
    return child;
  }

  end(): void {
    this.#isOver = true;
    const child = this.#waiting;
    this.#waiting = null;
    child?.stdin?.end();
  }
}
