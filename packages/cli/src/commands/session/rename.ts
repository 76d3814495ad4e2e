import { command } from "../../command.ts";
import { hostFlags } from "../../flags.ts";
import { connect } from "../../host/connect.ts";
import { findSession } from "../../host/sessions.ts";
import { tellState } from "./revive-and-follow.ts";

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
  return tellState(
    await client.call("updateSession", { params, body: { title: title.join(" ") } }),
    json,
  );
});
