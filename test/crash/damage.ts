/** Ways to damage a file, as data, so that each can be repeated. */

import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { seeded } from "../long/seeds.ts";

export type Damage =
  | { readonly kind: "none" }
  | { readonly kind: "flip"; readonly file: string; readonly bit: number }
  | { readonly kind: "zero"; readonly file: string; readonly at: number; readonly length: number }
  | { readonly kind: "garble"; readonly file: string; readonly at: number; readonly length: number }
  /** Copies a record over the one after it. */
  | { readonly kind: "repeat"; readonly file: string; readonly at: number; readonly length: number }
  | { readonly kind: "truncate"; readonly file: string; readonly to: number };

export const JOURNAL = "journal.db";
export const WAL = "journal.db-wal";

export function damage(dir: string, what: Damage): void {
  if (what.kind === "none") return;
  const path = join(dir, what.file);
  if (what.kind === "truncate") {
    truncateSync(path, what.to);
    return;
  }
  const bytes = readFileSync(path);
  switch (what.kind) {
    case "flip":
      bytes[what.bit >> 3] = (bytes[what.bit >> 3] ?? 0) ^ (1 << (what.bit & 7));
      break;
    case "zero":
      bytes.fill(0, what.at, what.at + what.length);
      break;
    case "garble": {
      const random = seeded(what.at);
      for (let i = 0; i < what.length && what.at + i < bytes.length; i++) {
        bytes[what.at + i] = random.below(256);
      }
      break;
    }
    case "repeat":
      bytes.copy(bytes, what.at + what.length, what.at, what.at + what.length);
  }
  writeFileSync(path, bytes);
}

/**
 * Copies the files of a dead host. The ballast is linked: it is large and never written in place.
 */
export function copyStore(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const name of [JOURNAL, WAL, "lock.db"]) {
    if (existsSync(join(from, name))) copyFileSync(join(from, name), join(to, name));
  }
  if (existsSync(join(from, "ballast"))) linkSync(join(from, "ballast"), join(to, "ballast"));
}

const PAGE = 4096;
export const FRAME = PAGE + 24;
export const WAL_HEADER = 32;

/** Offsets at which the commits of the newest generation of the write-ahead log end. */
export function commitEnds(wal: Buffer): number[] {
  const ends: number[] = [];
  for (let at = WAL_HEADER; at + FRAME <= wal.length; at += FRAME) {
    if (wal.compare(wal, 16, 24, at + 8, at + 16) !== 0) break;
    if (wal.readUInt32BE(at + 4) !== 0) ends.push(at + FRAME);
  }
  return ends;
}
