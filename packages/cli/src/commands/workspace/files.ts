import { bytes } from "@holdfast/protocol";
import { command } from "../../command.ts";
import { exitCodes } from "../../exit.ts";
import { hostFlags } from "../../flags.ts";
import { connect } from "../../host/connect.ts";
import { findSession } from "../../host/sessions.ts";
import { print, printBytes, printLine, say } from "../../output/print.ts";
import { quiet } from "../../output/words.ts";
import { pathInside } from "./path-inside.ts";

const spec = {
  name: "workspace files",
  takes: "SESSION [PATH]",
  does: "list a folder of the workspace, or print a file",
  flags: hostFlags,
  words: { least: 1, most: 2 },
} as const;

export const files = command(spec, async ({ words, json, ...host }) => {
  const [word = "", given = ""] = words;
  const path = pathInside(given);
  const client = await connect(host);
  const sessionId = await findSession(client, word);
  const reply =
    path === "."
      ? await client.call("listFiles", { params: { sessionId } })
      : await client.call("readFile", { params: { sessionId, path } });
  if (json) await print(reply);
  else if (reply.kind === "folder") {
    for (const { name, kind, size, target } of reply.entries) {
      const mark = kind === "folder" ? "/" : kind === "link" ? ` → ${target}` : "";
      await printLine([`${name}${mark}`, quiet(size === null ? "" : `  ${bytes(size)}`)]);
    }
    if (reply.truncated) say(quiet("· not all entries are shown"));
  } else if (reply.text === null) {
    say(`holdfast: ${reply.path} is not text (${bytes(reply.size)})`);
  } else {
    await printBytes(new TextEncoder().encode(reply.text));
    if (reply.truncated) say(quiet(`· truncated: the file has ${bytes(reply.size)}`));
  }
  return exitCodes.ok;
});
