/**
 * Starts a program in the real shape once, and lets it look at its boundary from inside. Isolation
 * is all or nothing: the whole boundary holds, or bubblewrap is not used.
 */

import { chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { bubblewrapPath, type Machine } from "./bubblewrap.ts";
import { realDisk } from "./disk.ts";
import { bubblewrapSandboxes } from "./local-sandboxes.ts";
import { readMachine, sandboxUser } from "./machine.ts";
import { shapeOf } from "./make-shape.ts";
import {
  failedProbe,
  type InsideView,
  judgeWords,
  type KernelSettings,
  leakIn,
  type Probe,
} from "./probe-words.ts";
import { seccompFilter } from "./seccomp.ts";
import type { Shape, ShapeFacts, ShapeRefusal } from "./shape.ts";

const LIMIT = 10_000;

export async function probeBubblewrap(home: string, arch: string = process.arch): Promise<Probe> {
  if (process.platform !== "linux") return failedProbe("not_linux", process.platform);
  const machine = await readMachine();
  if (machine === null) {
    const isThere = existsSync(bubblewrapPath);
    return isThere
      ? failedProbe("unknown", `${bubblewrapPath} --version fails`)
      : failedProbe("not_installed", `${bubblewrapPath} is not there`);
  }
  if (seccompFilter(arch) === null)
    return failedProbe("leaks", `There is no filter of system calls for ${arch}.`);
  try {
    return await probeIn(mkdtempSync(join(tmpdir(), "holdfast-probe-")), home, machine);
  } catch (error) {
    return failedProbe("unknown", error instanceof Error ? error.message : String(error));
  }
}

/** Removes the folder afterwards. */
async function probeIn(dir: string, home: string, machine: Machine): Promise<Probe> {
  try {
    const shape = probeShape(dir, home, machine);
    return "refused" in shape ? failedProbe("unknown", shape.message) : await look(shape, machine);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function probeShape(dir: string, home: string, machine: Machine): Shape | ShapeRefusal {
  const workspace = join(dir, "workspace");
  mkdirSync(workspace);
  const user = sandboxUser("probe", machine);
  if (user.uid !== machine.uid) chownSync(workspace, user.uid, user.gid);
  const facts: ShapeFacts = {
    workspace: { path: workspace, kind: "empty", git: null },
    home,
    path: "",
    privateHome: join(dir, "home"),
    tmp: join(dir, "tmp"),
    reflogs: join(dir, "reflogs"),
    programs: [process.execPath],
    data: join(dir, "data"),
    read: [],
    write: [],
    environment: ["CANARY"],
    network: "none",
    limits: {},
    user,
  };
  mkdirSync(facts.data);
  return shapeOf(facts, realDisk);
}

async function look(shape: Shape, machine: Machine): Promise<Probe> {
  const canary = shape.mounts.find(({ path }) => path === shape.home);
  const env = { CANARY: canary !== undefined && "from" in canary ? canary.from : "" };
  const sandboxes = bubblewrapSandboxes(null, machine);
  const child = sandboxes.spawn("probe", shape, {
    command: process.execPath,
    args: ["--input-type=module", "--eval", lookAround],
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let failure = "";
  child.once("error", ({ message }) => {
    failure = message;
  });
  const timer = setTimeout(() => child.kill("SIGKILL"), LIMIT);
  const [said, complaint] = await Promise.all([
    text(child.stdout as NodeJS.ReadableStream),
    text(child.stderr as NodeJS.ReadableStream),
  ]).finally(() => clearTimeout(timer));
  const view = parse(said);
  if (view === null)
    return judgeWords(complaint.trim() || failure || "It said nothing.", readSettings());
  const leak = leakIn(view, shape.uid);
  if (leak !== null) return failedProbe("leaks", `A program inside finds that ${leak}.`);
  return { holds: true, reason: null, words: machine.version.join("."), advice: "" };
}

const lookAround = `
  import { spawnSync } from "node:child_process";
  import { accessSync, constants, existsSync, readdirSync, readFileSync } from "node:fs";
  import { createServer } from "node:net";
  const can = (act) => { try { act(); return true; } catch { return false; } };
  const devices = readFileSync("/proc/net/dev", "utf8").matchAll(/^\\s*([^\\s:]+):/gm);
  const server = createServer();
  const listens = new Promise((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(0, "127.0.0.1", () => server.close(() => resolve(true)));
  });
  const unshare = spawnSync("unshare", ["--user", "true"]);
  const view = {
    uid: process.getuid(),
    processes: readdirSync("/proc").filter((name) => Number(name) > 0).length,
    interfaces: [...devices].map(([, name]) => name),
    canWriteSettings: can(() => accessSync("/proc/sys/kernel/core_pattern", constants.W_OK)),
    canMakeUserNamespaces: unshare.error === undefined ? unshare.status === 0 : null,
    seesOutside: existsSync(process.env.CANARY),
    listens: await listens,
  };
  console.log(JSON.stringify(view));
`;

function parse(said: string): InsideView | null {
  try {
    return JSON.parse(said) as InsideView;
  } catch {
    return null;
  }
}

function readSettings(): KernelSettings {
  return {
    maxUserNamespaces: setting("user/max_user_namespaces"),
    unprivilegedClone: setting("kernel/unprivileged_userns_clone"),
    apparmorRestricts: setting("kernel/apparmor_restrict_unprivileged_userns"),
  };
}

function setting(name: string): string | null {
  try {
    return readFileSync(join("/proc/sys", name), "utf8").trim();
  } catch {
    return null;
  }
}
