import { command } from "../../command.ts";
import { CliError, exitCodes } from "../../exit.ts";
import { hostFlags } from "../../flags.ts";
import { connect } from "../../host/connect.ts";
import { findSession } from "../../host/sessions.ts";
import { print, say } from "../../output/print.ts";
import { oneSession } from "./revive-and-follow.ts";

const spec = {
  name: "session dismiss",
  ...oneSession,
  does: "dismiss interrupted or failed work; its output is kept",
  flags: hostFlags,
} as const;

export const dismiss = command(spec, async ({ words, json, ...host }) => {
  const client = await connect(host);
  const sessionId = await findSession(client, words[0] ?? "");
  const { session } = await client.call("getSession", { params: { sessionId } });
  const { currentRunId: runId } = session;
  if (runId === null)
    throw new CliError("nothing_to_do", "This session has no interrupted or failed run.");
  const reply = await client.call("dismissRun", { params: { runId } });
  if (json) await print(reply);
  else say(`holdfast: dismissed: ${session.title}. What the agent said and did is kept.`);
  return exitCodes.ok;
});
