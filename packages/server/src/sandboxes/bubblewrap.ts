/**
 * Bubblewrap's arguments for a shape. They go to it on a descriptor, so that no value of the
 * environment is on a command line, and bubblewrap itself runs with an empty environment, because
 * variables such as LD_PRELOAD would act on it outside the boundary.
 */

import { dirname } from "node:path";
import { isAtOrIn } from "./denied.ts";
import type { Command, ProgramToRun } from "./sandbox.ts";
import { seccompFilter } from "./seccomp.ts";
import type { Mount, Shape } from "./shape.ts";
import { hostname } from "./system-paths.ts";

/** AppArmor profiles go by path, so no other copy of the program is used. */
export const bubblewrapPath = "/usr/bin/bwrap";
const setprivPath = "/usr/bin/setpriv";

/** The machine's part in the arguments. */
export interface Machine {
  /** The host's own ids. */
  readonly uid: number;
  readonly gid: number;
  /** True for a root that can become any user; the root of a rootless container cannot. */
  readonly isRealRoot: boolean;
  readonly arch: string;
  /** Bubblewrap's version. */
  readonly version: readonly [major: number, minor: number];
  /** Names that exist in /proc. */
  readonly proc: readonly string[];
}

/** Parts of /proc that belong to the whole machine. Run by root they can be written from inside. */
const readOnlyInProc = ["sys", "sysrq-trigger", "irq", "bus", "fs", "acpi", "scsi", "mtrr"];
const hiddenInProc = [
  ...["kcore", "kmsg", "keys", "key-users", "timer_list", "sched_debug", "latency_stats"],
  ...["kpagecount", "kpageflags", "kpagecgroup", "slabinfo", "vmallocinfo"],
];

export function bubblewrapCommand(shape: Shape, program: ProgramToRun, machine: Machine): Command {
  const feeds = new Feeds(program.stdio.length);
  const args = feeds.add("");
  const isOwn = hasOwnUid(shape, machine);
  const options = [
    ...namespaces(shape, machine),
    ...(isOwn ? ["CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP"] : []).flatMap((cap) => [
      "--cap-add",
      cap,
    ]),
    ...["--hostname", hostname, "--die-with-parent", "--new-session"],
    ...["--proc", "/proc", "--dev", "/dev", "--perms", "1777", "--tmpfs", "/dev/shm"],
    ...files(shape.mounts, feeds),
    ...coversOfProc(machine),
    ...["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", isOwn ? "/" : shape.cwd],
    ...seccomp(machine, feeds),
    "--clearenv",
    ...environment(shape, program),
  ];
  feeds.fill(args, options.map((option) => `${option}\0`).join(""));
  const inner = [...(isOwn ? becomingUser(shape) : []), program.command, ...program.args];
  return {
    file: bubblewrapPath,
    args: ["--args", String(args), "--", ...inner],
    env: {},
    // Bubblewrap enters the shape's folder itself; outside it needs none.
    cwd: "/",
    feeds: feeds.all,
  };
}

/**
 * Under a root host a program with the host's uid could write all root's files that it sees. A user
 * namespace does not help, because outside of it the uid stays 0. So bubblewrap, which must be root
 * to reach the places of the mounts, keeps the right to change its uid, and setpriv drops that.
 */
function hasOwnUid(shape: Shape, machine: Machine): boolean {
  return machine.uid === 0 && shape.uid !== 0;
}

/** Root without capabilities cannot enter the user's private folders, so the user does. */
function becomingUser({ uid, gid, cwd }: Shape): string[] {
  const ids = [`--reuid=${uid}`, `--regid=${gid}`, "--clear-groups"];
  const setpriv = [setprivPath, ...ids, "--bounding-set=-all", "--inh-caps=-all", "--"];
  return [...setpriv, "/bin/sh", "-c", 'cd "$0" && exec "$@"', cwd];
}

function namespaces(shape: Shape, machine: Machine): string[] {
  const { uid, gid, network } = shape;
  const user = ["--unshare-user", "--uid", String(uid), "--gid", String(gid)];
  return [
    ...(hasOwnUid(shape, machine) ? [] : [...user, ...noMoreUsers(machine)]),
    ...["--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"],
    ...(network === "host" ? [] : ["--unshare-net"]),
    ...["--cap-drop", "ALL"],
  ];
}

/** Version 0.8 can switch further user namespaces off; the seccomp filter does so everywhere. */
function noMoreUsers({ version: [major, minor] }: Machine): string[] {
  return major > 0 || minor >= 8 ? ["--disable-userns"] : [];
}

function files(mounts: readonly Mount[], feeds: Feeds): string[] {
  return mounts.flatMap((mount, at) => [
    ...parentsOf(mount.path, mounts.slice(0, at)),
    ...argumentsOf(mount, feeds),
  ]);
}

/** Bubblewrap makes missing parents as closed as the folder below them, so they are made here. */
function parentsOf(path: string, before: readonly Mount[]): string[] {
  const parents: string[] = [];
  for (let at = dirname(path); at !== "/"; at = dirname(at)) parents.unshift(at);
  const own = parents.filter((parent) => !before.some((mount) => isAtOrIn(parent, mount.path)));
  return own.flatMap((parent) => ["--perms", "0755", "--dir", parent]);
}

function argumentsOf(mount: Mount, feeds: Feeds): string[] {
  switch (mount.kind) {
    case "read":
      return ["--ro-bind", mount.from, mount.path];
    case "write":
      return ["--bind", mount.from, mount.path];
    case "link":
      return ["--symlink", mount.target, mount.path];
    case "folder":
      return ["--perms", "0755", "--tmpfs", mount.path, "--remount-ro", mount.path];
    case "file":
      return ["--perms", "0644", "--ro-bind-data", String(feeds.add(mount.text)), mount.path];
  }
}

function coversOfProc({ proc }: Machine): string[] {
  const isHere = (name: string) => proc.includes(name);
  return [
    ...readOnlyInProc
      .filter(isHere)
      .flatMap((name) => ["--ro-bind", `/proc/${name}`, `/proc/${name}`]),
    // A device cannot be opened through a bind, so this refuses to be read as well.
    ...hiddenInProc.filter(isHere).flatMap((name) => ["--ro-bind", "/dev/null", `/proc/${name}`]),
  ];
}

function seccomp({ arch }: Machine, feeds: Feeds): string[] {
  const filter = seccompFilter(arch);
  return filter === null ? [] : ["--seccomp", String(feeds.add(filter))];
}

function environment(shape: Shape, { env }: ProgramToRun): string[] {
  const allowed = new Set(shape.environment);
  const passed = Object.entries(env).filter(([name]) => allowed.has(name));
  return passed.flatMap(([name, value]) => ["--setenv", name, value]);
}

/** Bytes for the descriptors after the program's own. */
class Feeds {
  readonly all: Buffer[] = [];
  readonly #first: number;

  constructor(first: number) {
    this.#first = first;
  }

  add(bytes: string | Buffer): number {
    this.all.push(Buffer.from(bytes as string));
    return this.#first + this.all.length - 1;
  }

  fill(descriptor: number, text: string): void {
    this.all[descriptor - this.#first] = Buffer.from(text);
  }
}
