/** The interface that workloads drive, the same for all peers. */

import type { Slice } from "../../packages/server/src/journal/journal.ts";
import { Lines } from "../events.ts";

/** Takes one event of a session at a time and resolves when it is durable. */
export interface Subject {
  send(session: number): Promise<unknown>;
  /** Closes, and checks that all acknowledged events are stored. */
  close(): Promise<void> | void;
}

export interface ReplaySource {
  slices(): AsyncIterable<Slice>;
  close(): Promise<void> | void;
}

export type OpenSubject = (dir: string, sessions: number) => Promise<Subject> | Subject;

/** More lines than a session uses in a cell; further lines are encoded during the measurement. */
export function preparedLines(sessions: number): Lines {
  const lines = new Lines();
  lines.prepare(sessions === 1 ? 100_000 : 20_000);
  return lines;
}
