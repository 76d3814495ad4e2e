import { type ChildProcess, spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import type { LaunchSpec } from "../spool/frames.ts";
import { gateFd, gateFor, isCarried } from "./gate.ts";

const spec: LaunchSpec = {
  command: "/bin/sh",
  args: ["-c", 'echo ran; exec cat; echo "$1"', "sh", "an argument"],
  cwd: "/",
  env: { PATH: "/usr/bin:/bin" },
};

/** Starts a gate; returns its process, its output and its exit code. */
function openGate(namespaces: boolean): {
  gate: ChildProcess;
  out: Promise<string>;
  code: Promise<unknown>;
} {
  const { command, args } = gateFor(namespaces, 0o022, spec);
  const gate = spawn(command, args, { env: spec.env, stdio: ["pipe", "pipe", "inherit", "pipe"] });
  const code = new Promise((resolve) => gate.once("exit", resolve));
  return { gate, out: text(gate.stdout as never), code };
}

const lineOf = (gate: ChildProcess) => gate.stdio[gateFd] as unknown as NodeJS.ReadWriteStream;

test.each([true, false])(
  "the agent runs only after go, and gets every byte of stdin (namespace: %s)",
  async (namespaces) => {
    const { gate, out, code } = openGate(namespaces);
    gate.stdin?.end("first\nsecond\n");
    const ready = await new Promise((resolve) => lineOf(gate).once("data", resolve));
    expect(String(ready)).toBe("ready\n");
    lineOf(gate).end("go\n");
    expect([await out, await code]).toEqual(["ran\nfirst\nsecond\n", 0]);
  },
);

test.each([true, false])(
  "a gate whose holder is gone never opens (namespace: %s)",
  async (namespaces) => {
    const { gate, out, code } = openGate(namespaces);
    lineOf(gate).end();
    expect([await out, await code]).toEqual(["", 125]);
  },
);

test("a gate without an answer of its holder gives up", async () => {
  const { gate, out, code } = openGate(false);
  expect([await out, await code]).toEqual(["", 125]);
  gate.stdin?.end();
}, 10_000);

test("a shell passes on plain variable names only", () => {
  expect(["PATH", "_x1", "PWD"].every(isCarried)).toBe(true);
  expect(["A.B", "1A", "", "BASH_FUNC_f%%", "IFS", "PPID"].some(isCarried)).toBe(false);
});
