import { CliError } from "../../exit.ts";
import { sessionCommand } from "../../host-command.ts";
import { live } from "../../live/live.ts";
import { print } from "../../output/print.ts";
import { followFlags } from "./resume.ts";

const flags = {
  "from-error": { does: "continue from the error instead of from the start" },
  ...followFlags,
} as const;

const spec = {
  name: "session retry",
  does: "run the last message again and follow it",
  flags,
} as const;

export const retry = sessionCommand(spec, async (client, sessionId, given) => {
  const { json } = given;
  const { session } = await client.call("getSession", { params: { sessionId } });
  const { currentRunId: runId, lastSeq: after } = session;
  if (runId === null) throw new CliError("nothing_to_do", "This session has no run to repeat.");
  const from = given["from-error"] ? ("error" as const) : ("start" as const);
  const reply = await client.call("retryRun", { params: { runId }, body: { from } });
  if (json) await print(reply);
  if (given["no-follow"]) return;
  return live({ client, session: sessionId, json, from: { after }, run: reply.run.id });
});
