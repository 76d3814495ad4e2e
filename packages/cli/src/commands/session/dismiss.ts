import { CliError } from "../../exit.ts";
import { sessionCommand } from "../../host-command.ts";
import { print, say } from "../../output/print.ts";

const spec = {
  name: "session dismiss",
  does: "dismiss interrupted or failed work; its output is kept",
};

export const dismiss = sessionCommand(spec, async (client, sessionId, { json }) => {
  const { session } = await client.call("getSession", { params: { sessionId } });
  const { currentRunId: runId } = session;
  if (runId === null)
    throw new CliError("nothing_to_do", "This session has no interrupted or failed run.");
  const reply = await client.call("dismissRun", { params: { runId } });
  if (json) await print(reply);
  else say(`holdfast: dismissed: ${session.title}. What the agent said and did is kept.`);
});
