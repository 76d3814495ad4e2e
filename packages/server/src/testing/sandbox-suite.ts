/**
 * The rules that every provider of sandboxes must keep. A provider's test file calls `sandboxSuite`
 * with a function that opens it over an empty folder.
 */

import { type ChildProcess, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Sandboxes } from "../sandboxes/sandbox.ts";
import type { Shape } from "../sandboxes/shape.ts";

/** Some 50 ms and more, in which a counter that runs counts on for sure. */
const ROUNDS = 5;

export interface SuiteSandboxes {
  readonly sandboxes: Sandboxes;
  /** Its folder is empty and writable; `PATH` and `HOLDFAST_HOLDER` are in its environment. */
  readonly shape: Shape;
  /** The port of a later process; absent where a sandbox is known only to the process it is of. */
  readonly reopen?: () => Sandboxes;
  readonly dispose: () => void;
}

export function sandboxSuite(name: string, open: () => SuiteSandboxes): void {
  describe(`${name} keeps the rules of a sandbox`, () => {
    const id = `suite-${process.pid}`;
    let opened: SuiteSandboxes;
    let sandboxes: Sandboxes;

    beforeEach(() => {
      opened = open();
      sandboxes = opened.sandboxes;
    });
    afterEach(async () => {
      await sandboxes.release(id);
      opened.dispose();
    });

    const env = { PATH: "/usr/bin:/bin", HOLDFAST_HOLDER: id, SECRET: "not for the program" };

    const start = (script: string, stdio: ("ignore" | "pipe")[] = ["ignore", "pipe", "pipe"]) =>
      sandboxes.spawn(id, opened.shape, { command: "/bin/sh", args: ["-c", script], env, stdio });

    /** Starts a program, and resolves when it has said its first line. */
    const startAndHear = async (script: string): Promise<ChildProcess> => {
      const child = start(script);
      await new Promise((resolve) => child.stdout?.once("data", resolve));
      return child;
    };

    const inWorkspace = (file: string) => join(opened.shape.cwd, file);

    /** The counters that move while a program outside counts, which takes longer on a busy machine. */
    const moving = (files: readonly string[]): readonly string[] => {
      const read = () => files.map((file) => readFileSync(inWorkspace(file), "utf8"));
      const before = read();
      let moved: readonly string[] = [];
      for (let round = 0; round < ROUNDS && moved.length < files.length; round++) {
        spawnSync("/bin/sh", ["-c", "i=0; while [ $i -lt 3000 ]; do i=$((i + 1)); done"]);
        const now = read();
        moved = files.filter((_, at) => now[at] !== before[at]);
      }
      return moved;
    };

    const counting = (file: string) =>
      `i=0; while :; do i=$((i + 1)); echo $i >${file}.new; mv ${file}.new ${file}; done`;

    test("a program has the shape's folder, the named variables, its descriptors and its exit code", async () => {
      const child = start('pwd; env; cat <&3; echo "$SECRET" >&2; exit 7', [
        ...(["ignore", "pipe", "pipe", "pipe"] as const),
      ]);
      const line = child.stdio[3] as Duplex;
      line.end("said on 3\n");
      const exit = new Promise((resolve) => child.once("exit", resolve));
      const [said, complaint, code] = await Promise.all([
        text(child.stdout as NodeJS.ReadableStream),
        text(child.stderr as NodeJS.ReadableStream),
        exit,
      ]);
      const lines = said.trim().split("\n");
      expect([lines[0], lines.at(-1), code]).toEqual([opened.shape.cwd, "said on 3", 7]);
      expect(lines).toContain(`HOLDFAST_HOLDER=${id}`);
      expect([complaint, said.includes("SECRET")]).toEqual(["\n", false]);
    });

    test("no descriptor of the provider's own reaches the program", async () => {
      const child = start("ls /proc/self/fd");
      const said = (await text(child.stdout as NodeJS.ReadableStream)).trim().split(/\s+/);
      const inherited = spawnSync("ls", ["/proc/self/fd"], {
        encoding: "utf8",
        stdio: ["ignore", "pipe", "pipe"],
      });
      expect(said).toEqual(inherited.stdout.trim().split(/\s+/));
    });

    test("a frozen sandbox stands still, with every process and every program beside", async () => {
      await startAndHear(
        `(setsid sh -c '${counting("orphan")}' &) ; ${counting("first").replace("while", "echo; while")}`,
      );
      await startAndHear(`echo; ${counting("beside")}`);
      const files = ["orphan", "first", "beside"];
      for (const file of files) await expect.poll(() => exists(inWorkspace(file))).toBe(true);
      await sandboxes.freeze(id);
      expect(await sandboxes.health(id)).toBe("frozen");
      expect(moving(files)).toEqual([]);
      await sandboxes.thaw(id);
      expect(await sandboxes.health(id)).toBe("ready");
      await expect.poll(() => moving(files)).toEqual(files);
    });

    test("processes that fork without end stand still, too", async () => {
      await startAndHear(`echo; while :; do (echo $$ >forked; (:) & :); done`);
      await expect.poll(() => exists(inWorkspace("forked"))).toBe(true);
      await sandboxes.freeze(id);
      writeFileSync(inWorkspace("forked"), "still");
      expect(moving(["forked"])).toEqual([]);
      await sandboxes.thaw(id);
      await expect.poll(() => moving(["forked"])).toEqual(["forked"]);
    });

    test("a release leaves no process, also of a frozen sandbox and of orphans", async () => {
      const child = await startAndHear(
        `(setsid sh -c 'trap "" TERM HUP; ${counting("orphan")}' &) ; echo; ${counting("first")}`,
      );
      await expect.poll(() => exists(inWorkspace("orphan"))).toBe(true);
      const exit = new Promise((resolve) => child.once("exit", resolve));
      await sandboxes.freeze(id);
      await sandboxes.release(id);
      await exit;
      expect([await sandboxes.health(id), await sandboxes.list()]).toEqual(["gone", []]);
      expect(moving(["orphan", "first"])).toEqual([]);
    });

    test("a sandbox whose programs have ended is gone, as one that never was", async () => {
      const child = start("exit 0");
      await new Promise((resolve) => child.once("exit", resolve));
      // The first process of a namespace may end a moment after the program that was spawned.
      await expect.poll(() => sandboxes.health(id)).toBe("gone");
      expect(await sandboxes.health("never-was")).toBe("gone");
      await sandboxes.release("never-was");
    });

    test("a later process finds, thaws and releases the sandboxes of an earlier one", async ({
      skip,
    }) => {
      if (opened.reopen === undefined) return skip();
      const child = await startAndHear(`echo; ${counting("first")}`);
      const exit = new Promise((resolve) => child.once("exit", resolve));
      await sandboxes.freeze(id);
      const later = opened.reopen();
      expect([await later.list(), await later.health(id)]).toEqual([[id], "frozen"]);
      await later.thaw(id);
      await expect.poll(() => moving(["first"])).toEqual(["first"]);
      await later.release(id);
      await exit;
      expect([await later.list(), await later.health(id)]).toEqual([[], "gone"]);
    });
  });
}

function exists(path: string): boolean {
  try {
    return readFileSync(path, "utf8") !== "";
  } catch {
    return false;
  }
}
