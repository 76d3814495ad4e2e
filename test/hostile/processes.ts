/** Information from /proc about running processes: command lines, environments, sockets. */

import { readdirSync, readFileSync, readlinkSync } from "node:fs";

export const isLinux = process.platform === "linux";

export interface Seen {
  readonly pid: number;
  /** Command line, as `ps` shows it to everyone. */
  readonly argv: string;
  readonly environ: string;
}

/** All processes whose files can be read. */
export function everyProcess(): Seen[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const read = (file: string) => readFileSync(`/proc/${name}/${file}`, "latin1");
        return [{ pid: Number(name), argv: read("cmdline"), environ: read("environ") }];
      } catch {
        return [];
      }
    });
}

/** A process and its descendants. */
export function familyOf(pid: number, all = parents()): number[] {
  const children = [...all].flatMap(([child, parent]) => (parent === pid ? [child] : []));
  return [pid, ...children.flatMap((child) => familyOf(child, all))];
}

function parents(): Map<number, number> {
  const all = new Map<number, number>();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "latin1");
      // The name in brackets may contain anything, also brackets.
      const [, parent = "0"] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      all.set(Number(name), Number(parent));
    } catch {
      // The process has ended meanwhile.
    }
  }
  return all;
}

/** The targets of a process's file descriptors. */
export function descriptorsOf(pid: number): string[] {
  return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/${pid}/fd/${fd}`)];
    } catch {
      return [];
    }
  });
}

export interface Listening {
  readonly kind: string;
  readonly address: string;
}

const LISTEN = "0A";

/** Every socket on which these processes accept connections. */
export function listeningOf(pids: readonly number[]): Listening[] {
  const own = new Set(
    pids.flatMap(descriptorsOf).map((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1]),
  );
  const found: Listening[] = [];
  for (const kind of ["tcp", "tcp6", "udp", "udp6", "raw", "raw6"]) {
    for (const line of linesOf(`/proc/net/${kind}`)) {
      const [, local = "", , state, , , , , , inode] = line.trim().split(/\s+/);
      if (!own.has(inode)) continue;
      if (kind.startsWith("tcp") && state !== LISTEN) continue;
      found.push({ kind, address: local });
    }
  }
  for (const line of linesOf("/proc/net/unix")) {
    const [, , , flags, , , inode, path = ""] = line.trim().split(/\s+/);
    // Only listening sockets; the file also lists established connections.
    if (own.has(inode) && flags === "00010000") found.push({ kind: "unix", address: path });
  }
  return found;
}

function linesOf(file: string): string[] {
  try {
    return readFileSync(file, "latin1").trimEnd().split("\n").slice(1);
  } catch {
    return [];
  }
}

/** An address as `/proc/net/tcp` writes it: 127.0.0.1:4860 is 0100007F:12FC. */
export function loopback(port: number): string {
  return `0100007F:${port.toString(16).toUpperCase().padStart(4, "0")}`;
}
