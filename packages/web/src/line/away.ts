/** The events of the time when the session was not watched: a summary and the first's place. */

import { count, duration, type Event, type EventKind } from "@holdfast/protocol";
import { listed } from "../words/measures.ts";
import { diffOf } from "./parts.ts";
import type { AwayBand } from "./rows.ts";

/** Kinds of events that are news for a person; a pause or the return of an idle agent is not. */
const telling: ReadonlySet<EventKind> = new Set<EventKind>([
  ...(["message.user", "text.appended", "thinking.appended", "part.added", "agent.spoke"] as const),
  ...(["tool.started", "tool.updated", "tool.finished", "approval.requested"] as const),
  ...(["attempt.failed", "run.completed", "run.failed", "run.cancelled"] as const),
  ...(["run.interrupted", "session.revive_failed", "workspace.lost"] as const),
]);

/** `events` are those after the last seen one; null until loaded. Null without news. */
export function awayBand(events: readonly Event[] | null): AwayBand | null {
  const first = events?.find(({ kind }) => telling.has(kind));
  if (events === null || first === undefined) return null;
  return { since: first.ts, words: awayWords(events), seq: first.seq };
}

/** A summary in one line, the most important first: "2 questions, 3 files changed, done". */
export function awayWords(events: readonly Event[]): string {
  const of = (kind: EventKind) => events.filter((event) => event.kind === kind).length;
  const paths = new Set(
    events.flatMap((event) =>
      event.kind === "part.added" ? (diffOf(event.part)?.path ?? []) : [],
    ),
  );
  const some = (n: number, words: (n: number) => string) => (n === 0 ? [] : [words(n)]);
  const facts = [
    ...some(of("run.failed"), () => "a run failed"),
    ...some(of("run.interrupted"), () => "a run was interrupted"),
    ...some(of("session.resumed"), () => `the session recovered${cameBack(events)}`),
    ...some(of("approval.requested"), (n) => count(n, "question")),
    ...some(of("tool.finished"), (n) => count(n, "tool call")),
    ...some(paths.size, (n) => `${count(n, "file")} changed`),
    ...some(of("run.completed"), (n) => (n === 1 ? "a run finished" : `${n} runs finished`)),
  ];
  return facts.length === 0 ? "the agent kept working" : listed(facts);
}

function cameBack(events: readonly Event[]): string {
  const ms = events.findLast((event) => event.kind === "session.resumed")?.ms;
  return ms === undefined ? "" : ` in ${duration(ms)}`;
}
