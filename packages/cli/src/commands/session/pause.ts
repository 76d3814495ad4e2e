import { oneSession, tellState } from "../../bring-up.ts";
import { command } from "../../command.ts";
import { connect } from "../../connect.ts";
import { hostFlags } from "../../flags.ts";
import { patiently } from "../../patience.ts";
import { findSession } from "../../sessions.ts";

const spec = {
  name: "session pause",
  ...oneSession,
  does: "stop its agent until it is wanted again",
  flags: hostFlags,
} as const;

export const pause = command(spec, async ({ words, json, ...host }) => {
  const client = await connect(host);
  const params = { sessionId: await findSession(client, words[0] ?? "") };
  const work = client.call("pauseSession", { params });
  return tellState(await patiently("pausing it", work, json), json);
});
