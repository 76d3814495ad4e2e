/**
 * A spare holder: loaded in advance, because starting Node and loading its modules is most of a
 * launch's cost. It waits on a pipe from its host, so that it ends with the host in every case.
 * Once it gets its directory, it is a holder like any other.
 */

import { type ChildProcess, spawn } from "node:child_process";
import type { Writable } from "node:stream";
import { holderArguments, holderVariables } from "./command.ts";

export class SpareHolder {
  #waiting: ChildProcess | null = null;
  #isOver = false;

  get pid(): number | null {
    return this.#waiting?.pid ?? null;
  }

  fill(): void {
    if (this.#isOver || this.#waiting !== null) return;
    const child = spawn(process.execPath, holderArguments(), {
      cwd: "/",
      env: holderVariables(),
      stdio: ["pipe", "ignore", "ignore"],
      detached: true,
    });
    const gone = () => {
      if (this.#waiting === child) this.#waiting = null;
    };
    child.once("exit", gone);
    child.once("error", gone);
    const stdin = child.stdin as Writable & { unref(): void };
    // The spare may end at any time; a launch then starts a holder as usual.
    stdin.on("error", () => undefined);
    stdin.unref();
    child.unref();
    this.#waiting = child;
  }

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
