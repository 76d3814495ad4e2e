/**
 * Records of the sessions that the bridge has issued. An id is chosen and written to disk before
 * any `claude` starts, so that after a crash at any moment the session can be loaded, if only as an
 * empty one.
 */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { readJson, writeOnce } from "../../holder/directory/files.ts";
import { isObject, textOf } from "../acp/acp-shape.ts";

export interface SessionRecord {
  readonly cwd: string;
  /** The session that this one copies until its first turn, and the last message copied. */
  readonly from?: { readonly sessionId: string; readonly at: string };
}

export class SessionRecords {
  readonly #directory: string;

  constructor(directory: string) {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    this.#directory = directory;
  }

  add(sessionId: string, record: SessionRecord): void {
    writeOnce(this.#path(sessionId), record);
  }

  find(sessionId: string): SessionRecord | null {
    if (!isSessionId(sessionId)) return null;
    const read = readJson(this.#path(sessionId));
    const cwd = isObject(read) ? textOf(read.cwd, 4096) : null;
    if (!isObject(read) || cwd === null) return null;
    const from = isObject(read.from) ? read.from : {};
    const [source, at] = [textOf(from.sessionId), textOf(from.at)];
    return source === null || at === null ? { cwd } : { cwd, from: { sessionId: source, at } };
  }

  #path(sessionId: string): string {
    return join(this.#directory, `claude-${sessionId}.json`);
  }
}

/** Claude accepts only UUIDs, and a client's id becomes part of a file name. */
export function isSessionId(value: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value);
}
