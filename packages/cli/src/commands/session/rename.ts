import { sessionCommand } from "../../host-command.ts";
import { print, say } from "../../output/print.ts";

const spec = {
  name: "session rename",
  takes: "SESSION TITLE",
  does: "change the title of a session",
  words: { least: 2, most: Number.POSITIVE_INFINITY },
};

export const rename = sessionCommand(spec, async (client, sessionId, { words, json }) => {
  const body = { title: words.slice(1).join(" ") };
  const reply = await client.call("updateSession", { params: { sessionId }, body });
  if (json) await print(reply);
  else say(`holdfast: renamed: ${reply.session.title} (${sessionId})`);
});
