/**
 * Many callers without a credential at once, each with a large body, and the memory they cost the
 * host.
 */

import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";

export interface Crowd {
  readonly callers: number;
  readonly path: string;
  /** Start of each body; the rest is spaces. */
  readonly start: string;
  readonly bytes: number;
}

const CHUNK = Buffer.alloc(64 * 1024, " ");

/**
 * Connects all callers first, so that they really send at once. Returns the number of answers per
 * status; 0 counts connections that were reset before their answer was read.
 */
export async function sendAll(port: number, crowd: Crowd): Promise<Map<number, number>> {
  const told = new Map<number, number>();
  const sockets = await Promise.all(Array.from({ length: crowd.callers }, () => connected(port)));
  const all = sockets.map((socket) => sendOne(socket, port, crowd));
  for (const status of await Promise.all(all)) told.set(status, (told.get(status) ?? 0) + 1);
  return told;
}

async function connected(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  return socket;
}

function sendOne(socket: Socket, port: number, { path, start, bytes }: Crowd): Promise<number> {
  return new Promise((resolve) => {
    let status = 0;
    let left = bytes - Buffer.byteLength(start);
    const fill = () => {
      while (left > 0 && status === 0 && socket.writable) {
        const chunk = CHUNK.subarray(0, left);
        left -= chunk.length;
        if (!socket.write(chunk)) return;
      }
    };
    socket.on("drain", fill);
    socket.on("data", (chunk) => {
      status ||= Number(/^HTTP\/1\.1 (\d{3})/.exec(String(chunk))?.[1] ?? 0);
      socket.destroy();
    });
    socket.on("error", () => undefined);
    socket.on("close", () => resolve(status));
    const head = [`POST ${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`];
    const fields = ["Content-Type: application/json", `Content-Length: ${bytes}`];
    socket.write(`${[...head, ...fields].join("\r\n")}\r\n\r\n${start}`);
    fill();
  });
}

/** Additional peak memory of a process during `act`, in bytes. */
export async function memoryOf(pid: number, act: () => Promise<unknown>): Promise<number> {
  // Resets the peak in the kernel.
  writeFileSync(`/proc/${pid}/clear_refs`, "5");
  const before = kilobytes(pid, "VmRSS");
  await act();
  return (kilobytes(pid, "VmHWM") - before) * 1024;
}

function kilobytes(pid: number, field: "VmRSS" | "VmHWM"): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1] ?? 0);
}
