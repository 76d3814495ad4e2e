import { command } from "../../command.ts";
import { connect } from "../../connect.ts";
import { hostFlags } from "../../flags.ts";
import { withProgressNotes } from "../../progress-notes.ts";
import { oneSession, tellState } from "../../revive-and-follow.ts";
import { findSession } from "../../sessions.ts";

const spec = {
  name: "session pause",
  ...oneSession,
  does: "stop the agent until you send a message or resume",
  flags: hostFlags,
} as const;

export const pause = command(spec, async ({ words, json, ...host }) => {
  const client = await connect(host);
  const params = { sessionId: await findSession(client, words[0] ?? "") };
  const work = client.call("pauseSession", { params });
  return tellState(await withProgressNotes("pausing the session", work, json), json);
});
