import { command } from "../../command.ts";
import { exitCodes } from "../../exit.ts";
import { hostFlags } from "../../flags.ts";
import { connect } from "../../host/connect.ts";
import { findSession } from "../../host/sessions.ts";
import { print, say } from "../../output/print.ts";

const spec = {
  name: "session rename",
  takes: "SESSION TITLE",
  does: "change the title of a session",
  flags: hostFlags,
  words: { least: 2, most: Number.POSITIVE_INFINITY },
} as const;

export const rename = command(spec, async ({ words, json, ...host }) => {
  const [word = "", ...title] = words;
  const client = await connect(host);
  const params = { sessionId: await findSession(client, word) };
  const body = { title: title.join(" ") };
  const reply = await client.call("updateSession", { params, body });
  if (json) await print(reply);
  else say(`holdfast: renamed: ${reply.session.title} (${params.sessionId})`);
  return exitCodes.ok;
});
