/** What an agent is told: a person's words, and what it must know when a launch goes on with a run. */

import { HostError, openRun, type SessionId, type SessionState } from "@holdfast/protocol";
import { promptKey } from "../agents/acp.ts";
import type { Prompt } from "../agents/agent.ts";
import type { Blobs } from "../journal/blobs.ts";
import { carriedAnswers } from "./rules/approvals.ts";
import type { Sessions } from "./sessions.ts";

/** The prompt of the open run's current launch. */
export async function promptFor(
  sessions: Sessions,
  blobs: Blobs,
  session: SessionId,
  state: SessionState,
): Promise<Prompt> {
  const run = openRun(state);
  if (run === null) throw new HostError("run_not_found", `Session ${session} has no open run.`);
  const { messages } = await sessions.transcript(session, state.seq);
  const part = messages.find((message) => message.id === run.messageId)?.contentParts[0];
  if (part?.type !== "text") {
    throw new HostError("message_not_found", `Message ${run.messageId} of ${run.id} is gone.`);
  }
  const content =
    part.blob === undefined
      ? part.text
      : Buffer.from(await blobs.get(session, part.blob.hash)).toString();
  const attempt = run.attempt.n;
  return {
    sessionId: session,
    runId: run.id,
    attempt,
    key: promptKey(run.id, attempt),
    way: run.attempt.way,
    content,
    carried: carriedAnswers(run),
    results: run.results.map(({ result }) => result),
  };
}

/** As one text, for an agent that takes nothing else. */
export function promptText(prompt: Prompt): string {
  const { way, carried, results, content } = prompt;
  if (way === "prompt" && carried.length === 0 && results.length === 0) return content;
  return [
    "[SESSION_RESUMED]",
    "You were interrupted while you worked on the request below. Part of it may be done already:",
    "look at the workspace before you repeat anything, and do not redo what is there.",
    ...carried.map(({ toolName, toolCallId, decision }) => {
      const answer = decision === "deny" ? "DENIED" : "ALLOWED";
      return `Your question about ${toolName} (call ${toolCallId}) was answered meanwhile: ${answer}.`;
    }),
    ...results.map((result) => `A result you waited for has come: ${JSON.stringify(result)}`),
    "",
    "The request:",
    content,
  ].join("\n");
}
