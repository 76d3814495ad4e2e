import { endingWords } from "@holdfast/protocol";
import { oneSession, tellState } from "../../bring-up.ts";
import { command } from "../../command.ts";
import { confirmed, yesFlag } from "../../confirm.ts";
import { connect } from "../../connect.ts";
import { exitCodes } from "../../exit.ts";
import { hostFlags } from "../../flags.ts";
import { patiently } from "../../patience.ts";
import { say } from "../../print.ts";
import { findSession } from "../../sessions.ts";

const spec = {
  name: "session end",
  ...oneSession,
  does: "stop its agent for good; it can still be read",
  flags: { ...yesFlag, ...hostFlags },
} as const;

export const end = command(spec, async ({ words, json, yes, ...host }) => {
  const client = await connect(host);
  const params = { sessionId: await findSession(client, words[0] ?? "") };
  const { session } = await client.call("getSession", { params });
  const question = `End "${session.title}"? ${endingWords}`;
  if (!(await confirmed(question, { yes, json }))) {
    say("holdfast: nothing was ended");
    return exitCodes.needsDecision;
  }
  const work = client.call("endSession", { params });
  return tellState(await patiently("ending it", work, json), json);
});
