import type { Client } from "@holdfast/client";
import { isId, type RunView } from "@holdfast/protocol";
import { findSession } from "../host/sessions.ts";
import { hostCommand } from "../host-command.ts";
import { parkedWords, waitingWords } from "../lines/session-words.ts";
import { print, say } from "../output/print.ts";
import { withProgressNotes } from "../output/progress-notes.ts";

const spec = {
  name: "cancel",
  takes: "SESSION",
  does: "stop the run; what the agent said so far is kept",
  words: { least: 1, most: 1 },
};

/** Succeeds also when no run was left to stop: either way it is not running now. */
export const cancel = hostCommand(spec, async (client, { words, json }) => {
  const runId = await runOf(client, words[0] ?? "");
  const reply = runId === null ? nothing : await stop(client, runId, json);
  if (json) await print(reply);
  else for (const line of await wordsOf(client, reply)) say(`holdfast: ${line}`);
});

interface Reply {
  readonly success: boolean;
  readonly run: RunView | null;
}

const nothing: Reply = { success: false, run: null };

function stop(client: Client, runId: string, json: boolean): Promise<Reply> {
  return withProgressNotes(
    "stopping the run",
    client.call("cancelRun", { params: { runId } }),
    json,
  );
}

async function wordsOf(client: Client, { success, run }: Reply): Promise<string[]> {
  if (run === null) return ["nothing is running"];
  const { session } = await client.call("getSession", { params: { sessionId: run.sessionId } });
  // A cancel parks the queue at once, before the run has ended.
  const isParking = success && session.queued > 0 && session.currentRunId === run.id;
  const queue = isParking ? waitingWords(session.queued, session.id) : parkedWords(session);
  return [words(success, run.outcome), ...(queue === null ? [] : [queue])];
}

function words(success: boolean, outcome: RunView["outcome"]): string {
  if (!success) return `nothing is running${outcome === null ? "" : `; the last run: ${outcome}`}`;
  if (outcome === null) return "stopping; what the agent said so far is kept";
  return "stopped; what the agent said so far is kept";
}

async function runOf(client: Client, word: string): Promise<string | null> {
  if (isId("run", word)) return word;
  const sessionId = await findSession(client, word);
  const { session } = await client.call("getSession", { params: { sessionId } });
  return session.currentRunId;
}
