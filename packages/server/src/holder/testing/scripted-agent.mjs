/**
 * An agent for tests that does what its requests say. It speaks JSON-RPC on its stdio; every method
 * below is one kind of behaviour. It can log its input and output to files, to compare them with
 * the frames.
 */

import { spawn } from "node:child_process";
import { appendFileSync, openSync, readdirSync, readFileSync, writeSync } from "node:fs";
import { parseArgs } from "node:util";

const { values: options } = parseArgs({
  options: {
    /** A file for all its output on stdout. */
    tee: { type: "string" },
    /** A file for all its input on stdin. */
    heard: { type: "string" },
    "ignores-end": { type: "boolean" },
    "ignores-term": { type: "boolean" },
  },
});

if (options["ignores-term"]) process.on("SIGTERM", () => undefined);
const tee = options.tee === undefined ? null : openSync(options.tee, "a");

/**
 * Writes to the log file first, so that it holds all bytes that were read. Waits while the pipe is
 * full.
 */
function write(bytes) {
  if (tee !== null) writeSync(tee, bytes);
  for (let done = 0; done < bytes.length; ) {
    try {
      done += writeSync(1, bytes, done);
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}

function say(message) {
  write(Buffer.from(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`));
}

let held;

const methods = {
  /** Answers with its parameters. */
  echo: (params, id) => say({ id, result: params }),
  /** Delays its answer until it is released. */
  hold: (_params, id) => {
    held = id;
  },
  release: () => say({ id: held, result: null }),
  refuse: (_params, id) => say({ id, error: { code: -32_000, message: "no" } }),
  /** Asks its client a question under a chosen id, and reports the answer. */
  ask: ({ id: own, ...params }) => say({ id: own, method: "client/ask", params }),
  exit: ({ code = 0, stderr = "" }) => {
    process.stderr.write(stderr);
    process.exit(code);
  },
  kill: ({ signal }) => process.kill(process.pid, signal),
  /** Writes raw bytes, given in base64, because agents may also write invalid text. */
  raw: ({ base64, times = 1 }) => {
    const bytes = Buffer.from(base64, "base64");
    for (let i = 0; i < times; i++) write(bytes);
  },
  flood: ({ lines, bytes = 20, perWrite = 500 }, id) => {
    const text = "x".repeat(bytes);
    for (let i = 0; i < lines; i += perWrite) {
      const count = Math.min(perWrite, lines - i);
      const some = Array.from({ length: count }, (_, j) =>
        JSON.stringify({ jsonrpc: "2.0", method: "tick", params: { i: i + j, text } }),
      );
      write(Buffer.from(`${some.join("\n")}\n`));
    }
    say({ id, result: { lines } });
  },
  surroundings: (_params, id) => {
    const environment = readFileSync("/proc/self/environ", "utf8").split("\0").filter(Boolean);
    const descriptors = readdirSync("/proc/self/fd");
    say({ id, result: { environment, descriptors, cwd: process.cwd(), pid: process.pid } });
  },
  /**
   * Leaves a process with another parent and session that ignores SIGTERM and keeps stdout open. It
   * has `ORPHAN=name` in its environment, and with `bare` no other variable except PATH.
   */
  orphan: ({ bare = false, name }, id) => {
    const forget = bare ? 'env -i PATH="$PATH"' : "env";
    const script = `${forget} ORPHAN='${name}' setsid sh -c 'trap "" TERM HUP; sleep 100000; :' &`;
    const parent = spawn("sh", ["-c", script], { stdio: ["ignore", "inherit", "ignore"] });
    parent.on("exit", () => say({ id, result: null }));
  },
  /** Keeps a child and a grandchild, each with `ORPHAN` and its name in its environment. */
  family: ({ child, grandchild }, id) => {
    const script = `ORPHAN='${grandchild}' sleep 100000 & wait`;
    spawn("env", [`ORPHAN=${child}`, "sh", "-c", script], { stdio: "ignore" });
    say({ id, result: null });
  },
};

function hear(line) {
  if (options.heard !== undefined) appendFileSync(options.heard, `${line}\n`);
  const { id, method, params, result, error } = JSON.parse(line);
  if (method !== undefined) methods[method]?.(params, id);
  else say({ method: "heard", params: { id, result: result ?? null, error: error ?? null } });
}

let rest = "";
process.stdin.setEncoding("utf8").on("data", (text) => {
  const lines = (rest + text).split("\n");
  rest = lines.pop();
  for (const line of lines) hear(line);
});
process.stdin.on("end", () => {
  if (options["ignores-end"]) setInterval(() => undefined, 1_000_000);
});
