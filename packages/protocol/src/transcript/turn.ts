import type { Message, Transcript } from "./transcript.ts";

/**
 * The answers of a turn: of the run and of all runs that it continues, oldest first. A retry from
 * the start does the work anew, so the answers before it are not part of its turn.
 */
export function answersOfTurn(
  { messages, runs }: Pick<Transcript, "messages" | "runs">,
  runId: string,
): readonly Message[] {
  const ids = new Set<string | null>();
  let next: string | null = runId;
  // A run continues an earlier one, so one pass from the latest to the oldest finds all.
  for (const { id, continues, from } of runs.toReversed()) {
    if (id !== next) continue;
    ids.add(id);
    next = from === "start" ? null : continues;
  }
  return messages.filter(({ role, runId: of }) => role === "assistant" && ids.has(of));
}
