import type { Message, Transcript } from "./transcript.ts";

/** The answers of a run and of all runs it continues, oldest first; a retry begins anew. */
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
