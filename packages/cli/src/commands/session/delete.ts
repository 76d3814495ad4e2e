import { endingWords } from "@holdfast/protocol";
import { oneSession } from "../../bring-up.ts";
import { command } from "../../command.ts";
import { confirmed, yesFlag } from "../../confirm.ts";
import { connect } from "../../connect.ts";
import { exitCodes } from "../../exit.ts";
import { hostFlags } from "../../flags.ts";
import { patiently } from "../../patience.ts";
import { print, say } from "../../print.ts";
import { findSession } from "../../sessions.ts";

const spec = {
  name: "session delete",
  ...oneSession,
  does: "end it; the host deletes it later, by default in 30 days",
  flags: { ...yesFlag, ...hostFlags },
} as const;

export const remove = command(spec, async ({ words, json, yes, ...host }) => {
  const client = await connect(host);
  const params = { sessionId: await findSession(client, words[0] ?? "") };
  const { session } = await client.call("getSession", { params });
  const question = `End "${session.title}" now, to be deleted later? ${endingWords}`;
  if (!(await confirmed(question, { yes, json, strict: true }))) {
    say("holdfast: nothing was ended or deleted");
    return exitCodes.needsDecision;
  }
  const reply = await patiently("ending it", client.call("deleteSession", { params }), json);
  if (json) await print(reply);
  else say(`holdfast: ended: ${session.title}. You can read it until the host deletes it.`);
  return exitCodes.ok;
});
