/** Folds random journals from zero and in pieces, split anywhere: state, transcript and status agree. */

import assert from "node:assert/strict";
import {
  deriveStatus,
  type Event,
  emptyState,
  emptyTranscript,
  foldAll,
  type SessionState,
  type Transcript,
  transcriptOf,
} from "@holdfast/protocol";
import fc from "fast-check";
import { choices, freshSeed, randomStory } from "./random-story.ts";

export function splitFolds(numRuns: number, seed = freshSeed("split folds")): void {
  fc.assert(
    fc.property(choices(40), fc.array(fc.nat(1000), { maxLength: 4 }), (all, cuts) => {
      const told = randomStory(all);
      // Reads the journal back from bytes, as a new process would.
      const events = copy(told.events);
      const whole = foldAll(events);
      const text = transcriptOf(events);
      let state: SessionState = emptyState;
      let transcript: Transcript = emptyTranscript;
      for (const piece of pieces(events, cuts)) {
        state = copy(foldAll(piece, state));
        transcript = copy(transcriptOf(piece, transcript));
      }
      equal(state, whole);
      equal(whole, told.state);
      equal(transcript, text);
      const moment = told.time.at();
      equal(deriveStatus(state, moment), deriveStatus(told.state, moment));
    }),
    { numRuns, seed },
  );
}

const copy = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

function* pieces(events: readonly Event[], cuts: readonly number[]): Generator<Event[]> {
  const at = cuts.map((cut) => cut % (events.length + 1)).toSorted((a, b) => a - b);
  let from = 0;
  for (const to of [...at, events.length]) {
    yield events.slice(from, to);
    from = to;
  }
}

/** Compares as JSON, which is much faster than a deep comparison; that is made only for its diff. */
function equal(left: unknown, right: unknown): void {
  if (JSON.stringify(left) !== JSON.stringify(right)) assert.deepEqual(copy(left), copy(right));
}
