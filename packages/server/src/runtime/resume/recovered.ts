/** Turns content that only the agent's own session holds into a `recover` command. */

import {
  type CommandInput,
  RECOVERED_PARTS,
  RECOVERED_TEXT,
  type RecoveredPart,
  type RunRecord,
} from "@holdfast/protocol";
import type { Beyond } from "./beyond.ts";

/** Belongs to the cut-off run, or to no run after a completed one; limited in parts. */
export function recovering(
  agentSessionId: string,
  last: RunRecord | null,
  news: readonly Beyond[],
): CommandInput<"recover"> {
  const isCutOff = last !== null && last.outcome !== "completed";
  return {
    agentSessionId,
    of: isCutOff ? { runId: last.id, attempt: last.attempt } : null,
    parts: news.flatMap(partsOf).slice(0, RECOVERED_PARTS),
  };
}

function partsOf(entry: Beyond): RecoveredPart[] {
  if (entry.type === "tool") return [entry];
  const type = entry.type === "agent" ? "text" : "user";
  const pages = type === "text" ? pagesOf(entry.text) : [entry.text.slice(0, RECOVERED_TEXT)];
  return pages.map((text) => ({ type, text }));
}

function pagesOf(text: string): string[] {
  const count = Math.ceil(text.length / RECOVERED_TEXT);
  return Array.from({ length: count }, (_, n) =>
    text.slice(n * RECOVERED_TEXT, (n + 1) * RECOVERED_TEXT),
  );
}
