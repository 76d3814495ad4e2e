import { command } from "../../command.ts";
import { hostFlags } from "../../flags.ts";
import { connect } from "../../host/connect.ts";
import { findSession } from "../../host/sessions.ts";
import { withProgressNotes } from "../../output/progress-notes.ts";
import { oneSession, tellState } from "./revive-and-follow.ts";

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
