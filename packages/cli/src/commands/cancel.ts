import type { Client } from "@holdfast/client";
import { isId, type RunView } from "@holdfast/protocol";
import { command } from "../command.ts";
import { connect } from "../connect.ts";
import { CliError, exitCodes } from "../exit.ts";
import { hostFlags } from "../flags.ts";
import { patiently } from "../patience.ts";
import { print, say } from "../print.ts";
import { findSession } from "../sessions.ts";

const spec = {
  name: "cancel",
  takes: "SESSION",
  does: "stop what runs; what it said is kept",
  flags: hostFlags,
  words: { least: 1, most: 1 },
} as const;

export const cancel = command(spec, async (given) => {
  const client = await connect(given);
  const runId = await runOf(client, given.words[0] ?? "");
  const cancelled = client.call("cancelRun", { params: { runId } });
  const reply = await patiently("stopping it", cancelled, given.json);
  if (given.json) await print(reply);
  else say(`holdfast: ${words(reply.run.outcome)}`);
  return reply.success ? exitCodes.ok : exitCodes.failed;
});

function words(outcome: RunView["outcome"]): string {
  if (outcome === null) return "stopping; what it said so far is kept";
  if (outcome === "cancelled") return "stopped; what it said so far is kept";
  return `nothing to stop: its last run is over (${outcome})`;
}

async function runOf(client: Client, word: string): Promise<string> {
  if (isId("run", word)) return word;
  const sessionId = await findSession(client, word);
  const { session } = await client.call("getSession", { params: { sessionId } });
  if (session.currentRunId !== null) return session.currentRunId;
  throw new CliError("nothing_to_do", "Nothing runs in it now.");
}
