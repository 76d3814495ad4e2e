/** Values from a session's events: the store has the recent ones, and asks the host for older ones. */

import { useHoldfast } from "@holdfast/client/react";
import type { Event } from "@holdfast/protocol";
import { useEffect, useState } from "react";
import { emptyLine, type Knot, lengthened } from "../../line/knots.ts";

/** The events after one seq up to another; of a very long absence only the beginning. */
export function useEvents(
  sessionId: string,
  after: number | null,
  upTo: number,
): readonly Event[] | null {
  return useFolded(sessionId, after, Math.min(upTo, (after ?? 0) + MOST), collected);
}

export function useKnots(sessionId: string, seq: number): readonly Knot[] {
  return useFolded(sessionId, 0, seq, knotted)?.knots ?? noKnots;
}

const MOST = 10_000;

interface Folding<T> {
  readonly empty: T;
  readonly add: (before: T, events: readonly Event[]) => T;
}

const noKnots: readonly Knot[] = [];
const knotted = { empty: emptyLine, add: lengthened };
const collected: Folding<readonly Event[]> = {
  empty: [],
  add: (before, events) => [...before, ...events],
};

interface Folded<T> {
  readonly after: number | null;
  readonly upTo: number;
  readonly value: T;
}

/** Folds each event once, while `upTo` grows; null until the first are loaded, or without `after`. */
function useFolded<T>(
  sessionId: string,
  after: number | null,
  upTo: number,
  { empty, add }: Folding<T>,
): T | null {
  const store = useHoldfast().session(sessionId);
  const [last, setLast] = useState<Folded<T> | null>(null);
  const known = last?.after === after ? last : null;
  const from = known?.upTo ?? after ?? upTo;
  const isBehind = from < upTo;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a request in progress is not restarted for `upTo`.
  useEffect(() => {
    if (!isBehind) return;
    const life = new AbortController();
    store.events(from, upTo, life.signal).then(
      (events) =>
        life.signal.aborted || setLast({ after, upTo, value: add(known?.value ?? empty, events) }),
      // When the host refuses, the last value stays; the store waits for an unreachable host.
      () => undefined,
    );
    return () => life.abort();
  }, [store, after, from, isBehind]);
  return known?.value ?? null;
}
