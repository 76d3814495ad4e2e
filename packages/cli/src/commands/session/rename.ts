import { command } from "../../command.ts";
import { connect } from "../../connect.ts";
import { hostFlags } from "../../flags.ts";
import { tellState } from "../../revive-and-follow.ts";
import { findSession } from "../../sessions.ts";

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
