import { command } from "../../command.ts";
import { exitCodes } from "../../exit.ts";
import { hostFlags } from "../../flags.ts";
import { hint, shellWord } from "../../hint.ts";
import { connect } from "../../host/connect.ts";
import { findSession } from "../../host/sessions.ts";
import { print, printText, say } from "../../output/print.ts";
import { quiet } from "../../output/words.ts";
import { pathInside } from "./path-inside.ts";

const spec = {
  name: "workspace diff",
  takes: "SESSION [PATH]",
  does: "show what changed since HEAD, as git prints it",
  flags: hostFlags,
  words: { least: 1, most: 2 },
} as const;

export const diff = command(spec, async ({ words, json, ...host }) => {
  const [word = "", given = ""] = words;
  const path = pathInside(given);
  const client = await connect(host);
  const sessionId = await findSession(client, word);
  const query = path === "." ? {} : { path };
  const reply = await client.call("getWorkspaceDiff", { params: { sessionId }, query });
  if (path !== "." && reply.repository && reply.files.length === 0) {
    // A path that does not exist is an error of the host, as for `workspace files`.
    await client.call("readFile", { params: { sessionId, path } });
  }
  if (json) {
    await print(reply);
    return exitCodes.ok;
  }
  for (const file of reply.files) {
    if (file.patch !== "") await printText(file.patch.trimEnd());
    else say(quiet(`· ${file.path}: ${file.binary ? "not text" : file.kind}`));
    if (file.truncated) {
      say(
        quiet(
          `· truncated; to see more: ${hint("workspace diff", sessionId, shellWord(file.path))}`,
        ),
      );
    }
  }
  if (!reply.repository) say("holdfast: the workspace is not a git repository");
  else if (reply.files.length === 0) say("holdfast: nothing changed");
  return exitCodes.ok;
});
