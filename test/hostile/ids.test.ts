/** Malicious ids, cursors and numbers, on a host whose file access is traced. */

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { RouteName } from "@holdfast/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { payloads } from "./payloads.ts";
import {
  bodyOf,
  everything,
  type Ids,
  parameters,
  pathOf,
  table,
  type Victim,
  victimOf,
} from "./table.ts";
import { inTurn, Target } from "./target.ts";

const target = new Target();
let victim: Victim;
let trace: Trace | null;
let before: unknown;

/** Keys, two per test: each credential may make only so many changes a second. */
let keys: string[] = [];

beforeAll(async () => {
  await target.start();
  victim = await victimOf(target);
  const scopes = ["read", "write", "admin"] as const;
  const made = Array.from({ length: 20 }, async (_, n) => {
    const body = { name: `hostile ${n}`, scopes: [...scopes] };
    return (await target.client.call("createKey", { body })).secret;
  });
  keys = await Promise.all(made);
  before = await everything(target, victim.ids.sessionId);
  trace = await traced(target.hostPid);
});

afterAll(async () => {
  await trace?.stop();
  await target.end();
});

interface Trace {
  readonly file: string;
  stop(): Promise<void>;
}

/** Traces a process with strace; null when strace is unavailable. */
async function traced(pid: number): Promise<Trace | null> {
  if (spawnSync("strace", ["-V"]).status !== 0) return null;
  const file = join(mkdtempSync(join(tmpdir(), "holdfast-hostile-")), "trace");
  const calls = "open,openat,openat2,creat,unlink,unlinkat,rename,renameat,renameat2,mkdir,mkdirat";
  const more = "rmdir,link,linkat,symlink,symlinkat,truncate,chmod,fchmodat,chown,fchownat,execve";
  const args = [
    "-f",
    "-y",
    "-s",
    "4096",
    "-o",
    file,
    "-e",
    `trace=${calls},${more}`,
    "-p",
    `${pid}`,
  ];
  const child: ChildProcess = spawn("strace", args, { stdio: ["ignore", "ignore", "pipe"] });
  const attached = new Promise<boolean>((resolve) => {
    child.stderr?.on("data", (chunk) => String(chunk).includes("attached") && resolve(true));
    child.once("exit", () => resolve(false));
  });
  if (!(await attached)) return null;
  return {
    file,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, "exit");
      // On SIGTERM strace waits for every traced thread, sometimes for ever. It writes each line
      // before the thread continues, so SIGKILL loses no lines.
      child.kill("SIGKILL");
      await exited;
    },
  };
}

/** A route for each parameter; its other parameters are valid. */
const routeOf: Readonly<Record<keyof Ids, RouteName>> = {
  sessionId: "getSession",
  runId: "getRun",
  messageId: "removeQueued",
  approvalId: "decideApproval",
  ruleId: "revokeRule",
  deviceId: "revokeDevice",
  keyId: "revokeKey",
  hash: "getBlob",
  path: "readFile",
};

/** Dot segments are resolved before routing, and may then lead to an existing route. */
const isDots = (payload: string) => /^(\.|%2e){1,2}$/i.test(payload);

describe("[S5] an id in a path that tries to be something else", () => {
  test("comes in more than five hundred forms", () => {
    expect(new Set(payloads).size).toBe(payloads.length);
    expect(payloads.length).toBeGreaterThanOrEqual(500);
  });

  test.each(parameters)("is refused or not found, whatever it is: %s", async (parameter) => {
    const name = routeOf[parameter];
    const { method } = table.find(([route]) => route === name)?.[1] ?? { method: "GET" };
    const own = keys.slice(2 * parameters.indexOf(parameter)).slice(0, 2);
    let turn = 0;
    const odd: unknown[] = [];
    // A workspace may contain `.git`.
    const strange = payloads.filter((payload) => parameter !== "path" || payload !== ".git");
    await inTurn(strange, async (payload) => {
      const path = pathOf(name, { ...victim.ids, [parameter]: payload });
      const { status, body } = await target.quick(method, path, own[turn++ % 2], bodyOf(name));
      const expected = isDots(payload) ? [404, 405] : [400, 404];
      if (!expected.includes(status)) odd.push([payload.slice(0, 80), status, body.slice(0, 200)]);
    });
    expect(odd).toEqual([]);
  });

  test("is refused or not found on any other route that has one", async () => {
    const some = payloads.filter((payload, n) => n % 43 === 0 && !isDots(payload));
    const odd: unknown[] = [];
    for (const [name, { method, path }] of table) {
      const [, first = ""] = /:(\w+)/.exec(path) ?? [];
      if (first === "") continue;
      await inTurn(some, async (payload) => {
        const way = pathOf(name, { ...victim.ids, [first]: payload });
        const { status } = await target.quick(method, way, keys[18], bodyOf(name));
        if (status !== 404 && status !== 400) odd.push([name, payload.slice(0, 80), status]);
      });
    }
    expect(odd).toEqual([]);
  });

  test("is refused when it breaks HTTP: NUL, spaces, raw unicode", async () => {
    for (const raw of ["\0", " ", "\t", "\x7f", "\u2025", "a\0b", "\x1b[2J", "\r", "\n"]) {
      const path = pathOf("getSession", { ...victim.ids, sessionId: raw });
      const { status } = await target.ask("GET", path);
      expect([JSON.stringify(raw), [400, 404].includes(status)]).toEqual([
        JSON.stringify(raw),
        true,
      ]);
    }
  });
});

/** Payloads that are not numbers; the others would be valid there. */
const numbers = payloads.filter((payload) => Number.isNaN(Number(decoded(payload))));

const placed = (place: string) => Buffer.from(place).toString("base64url");

describe("[S5] a place or a number that tries to be something else", () => {
  test.each([
    ["listEvents", "after"],
    ["listEvents", "limit"],
    ["getTranscript", "tail"],
    ["followSession", "after"],
    ["followRun", "after"],
    ["listRuns", "limit"],
    ["listSessions", "limit"],
    ["listSessions", "status"],
  ] as const)("%s ?%s= is refused", async (name, field) => {
    const odd = await oddOf(name, field, numbers, [400]);
    expect(odd).toEqual([]);
  });

  test.each([
    ["9".repeat(400)],
    ["-1"],
    ["1.5"],
    ["1e308"],
    ["9007199254740993"],
    ["18446744073709551616"],
    ["NaN"],
    ["Infinity"],
    ["-0x1"],
    ["999999999"],
  ])("a seq of %s is refused", async (seq) => {
    for (const name of ["listEvents", "followSession", "followRun"] as const) {
      const { status } = await asked(name, "after", seq);
      // Reading beyond the end gives an empty page; following from there would leave a gap.
      const beyond = name === "listEvents" && seq === "999999999";
      expect([name, beyond ? [200, 400].includes(status) : status === 400]).toEqual([name, true]);
    }
  });

  test("?cursor= is one of the host's own cursors or refused", async () => {
    const odd = await oddOf("listSessions", "cursor", payloads, [200, 400]);
    expect(odd).toEqual([]);
    for (const place of [
      "1 ../../x",
      "1 ' or 1=1 --",
      "1 %",
      "-1 sess_",
      "1e9 \0",
      "0 __proto__",
      `4 1 ${victim.ids.sessionId}`,
      `0 1e9 ${victim.ids.sessionId}`,
      `0 1 ${victim.ids.sessionId} 1`,
    ]) {
      const { status, body } = await asked("listSessions", "cursor", placed(place));
      expect([place, status, JSON.parse(body).code]).toEqual([place, 400, "bad_input"]);
    }
    // The current form of a cursor, and the form of hosts that listed by age.
    for (const place of [`3 1 ${victim.ids.sessionId}`, `1 ${victim.ids.sessionId}`]) {
      const { status } = await asked("listSessions", "cursor", placed(place));
      expect([place, status]).toEqual([place, 200]);
    }
  });

  test("?q= is only a text to search for", async () => {
    const odd = await oddOf("listSessions", "q", payloads, [200, 400]);
    expect(odd).toEqual([]);
    for (const q of ["%", "_", "%%", "S_CRET", "' or '1'='1", '" or ""="', "*", "SECRET*", "\\"]) {
      const { status, body } = await asked("listSessions", "q", encodeURIComponent(q));
      expect([q, status, JSON.parse(body).sessions.length]).toEqual([q, 200, 0]);
    }
    expect((await asked("listSessions", "q", "SECRET")).body).toContain(victim.ids.sessionId);
  });

  test("an invalid ?ticket= opens no stream", async () => {
    const some = payloads.filter((_, n) => n % 16 === 0);
    await inTurn(some, async (payload) => {
      const path = `${pathOf("followSession", victim.ids)}?ticket=${payload}`;
      const { status } = await target.ask("GET", path, { as: null });
      expect([payload, [400, 401, 431].includes(status)]).toEqual([payload, true]);
    });
  });

  test("a workspace outside a usable directory of its own is refused", async () => {
    const places = [
      { kind: "in-place", path: "../../etc" },
      { kind: "in-place", path: "/etc/passwd" },
      { kind: "in-place", path: `/nowhere-${process.pid}` },
      { kind: "in-place", path: "/tmp\0/x" },
      { kind: "in-place" },
      // Directories of the host's own files, or their parents.
      { kind: "in-place", path: target.data },
      { kind: "in-place", path: join(target.data, "holders") },
      { kind: "in-place", path: join(target.data, "workspaces", victim.ids.sessionId, "..") },
      { kind: "in-place", path: dirname(target.data) },
      // Directories that show processes of the user.
      { kind: "in-place", path: "/proc" },
      { kind: "in-place", path: `/proc/${process.pid}/cwd/../../proc` },
      { kind: "in-place", path: "/dev/fd" },
      { kind: "in-place", path: "/sys" },
      { kind: "empty", path: "/etc" },
      { kind: "empty", path: "../.." },
      { kind: "clone", path: "/etc" },
      { kind: "worktree", path: "ext::sh -c touch% /tmp/x" },
      { kind: "copy", path: "-o/etc" },
    ];
    for (const workspace of places) {
      const body = JSON.stringify({ agent: "demo", workspace });
      const { status } = await target.ask("POST", "/api/sessions", { body });
      expect([workspace, status]).toEqual([workspace, 400]);
    }
  });

  const asked = (name: RouteName, field: string, value: string) =>
    target.quick("GET", `${pathOf(name, victim.ids)}?${field}=${value}`, target.token);

  async function oddOf(name: RouteName, field: string, all: readonly string[], right: number[]) {
    const odd: unknown[] = [];
    await inTurn(all, async (payload) => {
      // Escapes characters that would start another field.
      const { status, body } = await asked(
        name,
        field,
        payload.replace(/[&#]/g, encodeURIComponent),
      );
      if (!right.includes(status)) odd.push([payload.slice(0, 80), status, body.slice(0, 200)]);
    });
    return odd;
  }
});

describe("[S5] all the while", () => {
  test("all data is unchanged, the host printed no errors, and it still works", async () => {
    expect(await everything(target, victim.ids.sessionId)).toEqual(before);
    expect(target.said).toBe("");
    expect(await target.isWell()).toBe(true);
  });

  test("no file outside the data directory was opened, made, moved or removed", async (context) => {
    if (trace === null) {
      process.stderr.write("hostile: SKIPPED the watch over files: strace cannot be used here\n");
      return context.skip();
    }
    await trace.stop();
    const touched = touchedIn(readFileSync(trace.file, "utf8"));
    rmSync(join(trace.file, ".."), { recursive: true });
    // The trace worked: the last test created a session, and with it files and a holder.
    const holders = join(target.data, "holders");
    expect(touched.filter(({ path, writes }) => writes && isIn(holders, path))).not.toEqual([]);
    const outside = touched.filter(({ path, writes }) => {
      if (isIn(target.data, path) || path === "/dev/null") return false;
      if (writes) return !isIn(join(sources, "node_modules/.cache"), path);
      return !isIn(sources, path) && !isOfNode.test(path) && path !== process.execPath;
    });
    expect(outside).toEqual([]);
  });
});

const sources = fileURLToPath(new URL("../../", import.meta.url));

/** Files that Node itself opens: libraries, settings, time zone, kernel information. */
const isOfNode =
  /^\/(etc\/(ld\.so|localtime|ssl|nsswitch|passwd)|usr\/(lib|share\/zoneinfo)|lib|proc|sys)/;

const isIn = (place: string, path: string) =>
  path === place || path.startsWith(place.endsWith("/") ? place : `${place}/`);

interface Touched {
  readonly path: string;
  readonly writes: boolean;
}

/** Resolved paths of all file calls, from the lines of every thread of the host. */
function touchedIn(log: string): Touched[] {
  const started = new Set<string>();
  return log.split("\n").flatMap((line) => {
    const [, pid = "", call = ""] = /^(\d+)\s+(\w+)\(/.exec(line) ?? [];
    // Calls of holders and agents are excluded.
    if (call === "execve") started.add(pid);
    if (call === "" || started.has(pid)) return [];
    const writes = !call.startsWith("open") || /O_(WRONLY|RDWR|CREAT)/.test(line);
    const paths = line.matchAll(/(?:(?:AT_FDCWD|\d+)<([^>]*)>, )?"((?:[^"\\]|\\.)*)"/g);
    return [...paths].map(([, from, path = ""]) => ({ path: resolve(from ?? "/", path), writes }));
  });
}

function decoded(payload: string): string {
  try {
    return decodeURIComponent(payload.replaceAll("+", " "));
  } catch {
    return payload;
  }
}
