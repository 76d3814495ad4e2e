/** What the workloads drive, whoever stands behind it. */

import type { Slice } from "../../packages/server/src/journal/journal.ts";
import { Lines } from "../events.ts";

/** Takes one event of a session at a time and says when it is durable. */
export interface Subject {
  send(session: number): Promise<unknown>;
  /** Closes, and checks that what was acknowledged is there. */
  close(): Promise<void> | void;
}

export interface ReplaySource {
  slices(): AsyncIterable<Slice>;
  close(): Promise<void> | void;
}

export type OpenSubject = (dir: string, sessions: number) => Promise<Subject> | Subject;

/** More than any session gets through in a cell; past it lines are encoded inside the clock. */
export function preparedLines(sessions: number): Lines {
  const lines = new Lines();
  lines.prepare(sessions === 1 ? 100_000 : 20_000);
  return lines;
}
