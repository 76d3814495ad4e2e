/** One run's range in its session's journal: its first seq and, once it has an outcome, its last. */

import { HostError, outcomeOf, type SessionId } from "@holdfast/protocol";
import { decodeEvents } from "@holdfast/protocol/schemas";
import type { Journal, Slice } from "../../journal/journal.ts";
import { skipLines } from "../../journal/lines.ts";
import type { CallerSessions } from "../../session/sessions.ts";
import { memoizeByObject } from "../memoize-by-object.ts";
import type { Streams } from "../streams.ts";

export class RunSpan {
  readonly first: number;
  readonly #journal: Journal;
  readonly #session: SessionId;
  readonly #runId: string;
  /** The end of the batch that holds the outcome; null while the run is open. */
  #last: number | null = null;

  private constructor(journal: Journal, session: SessionId, runId: string, first: number) {
    this.#journal = journal;
    this.#session = session;
    this.#runId = runId;
    this.first = first;
  }

  static async find(
    { sessions, journal }: Pick<Streams, "sessions" | "journal">,
    session: SessionId,
    runId: string,
  ): Promise<RunSpan> {
    const { run } = await sessions.state(session);
    const first = run?.id === runId ? run.startedSeq : await earlierStart(sessions, session, runId);
    const span = new RunSpan(journal, session, runId, first);
    await span.look();
    return span;
  }

  /** True when a follower at `seq` has received the whole run. */
  isOver(seq: number): boolean {
    return this.#last !== null && seq >= this.#last;
  }

  /** Looks up the outcome in the journal, for events that this follower did not receive. */
  async look(): Promise<void> {
    // An outcome is a once-only fact, and a fact's seq is the end of its batch.
    this.#last = await this.#journal.fact(this.#session, {
      name: "outcome",
      key: this.#runId,
    });
  }

  async cut(slice: Slice): Promise<Slice> {
    if (this.#last === null && outcomesIn(slice).has(this.#runId)) await this.look();
    const count = this.#last === null ? slice.count : this.#last - slice.firstSeq + 1;
    if (count >= slice.count) return slice;
    return { ...slice, count, bytes: slice.bytes.subarray(0, skipLines(slice.bytes, 0, count)) };
  }
}

/** The state has only the latest run; the transcript has all of them. */
async function earlierStart(sessions: CallerSessions, session: SessionId, runId: string) {
  const { transcript } = await sessions.open(session);
  const run = transcript.runs.find(({ id }) => id === runId);
  if (run === undefined) throw new HostError("run_not_found", "Run not found");
  return run.seq;
}

const outcomesIn = memoizeByObject((slice: Slice) => {
  const ended = new Set<string>();
  for (const event of decodeEvents(slice.bytes)) {
    if (outcomeOf(event.kind) !== undefined) ended.add((event as { runId: string }).runId);
  }
  return ended;
});
