import { oneSession, tellState } from "../../bring-up.ts";
import { command } from "../../command.ts";
import { connect } from "../../connect.ts";
import { hostFlags } from "../../flags.ts";
import { patiently } from "../../patience.ts";
import { findSession } from "../../sessions.ts";

const spec = {
  name: "session end",
  ...oneSession,
  does: "end it for good",
  flags: hostFlags,
} as const;

export const end = command(spec, async ({ words, json, ...host }) => {
  const client = await connect(host);
  const params = { sessionId: await findSession(client, words[0] ?? "") };
  const work = client.call("endSession", { params });
  return tellState(await patiently("ending it", work, json), json);
});
