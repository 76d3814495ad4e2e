import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import { randomKey } from "@holdfast/client";
import { command } from "../command.ts";
import { connect } from "../connect.ts";
import { exitCodes } from "../exit.ts";
import { hostFlags } from "../flags.ts";
import { live } from "../live.ts";
import { patiently } from "../patience.ts";
import { print, printText, say } from "../print.ts";
import { quiet } from "../words.ts";

const flags = {
  agent: { value: "NAME", does: "which agent (default demo, which needs no key)" },
  title: { value: "TEXT", does: "the session's title" },
  workspace: { value: "PATH", does: "the folder to work in (default: an empty one)" },
  model: { value: "NAME", does: "which model, if the agent has a choice" },
  "no-follow": { does: "print the session's id and leave it to work" },
  ...hostFlags,
} as const;

const spec = {
  name: "run",
  takes: "PROMPT|-",
  does: "start a session and follow it",
  flags,
  words: { least: 1, most: Number.POSITIVE_INFINITY },
} as const;

export const run = command(spec, async (given) => {
  const { agent = "demo", title, workspace, model, json } = given;
  const client = await connect(given);
  const message = await promptOf(given.words);
  const clientId = randomKey();
  const body = {
    agent,
    message,
    clientId,
    ...(title === undefined ? {} : { title }),
    ...(model === undefined ? {} : { model }),
    ...(workspace === undefined
      ? {}
      : { workspace: { kind: "in-place" as const, path: resolve(workspace) } }),
  };
  const created = client.call("createSession", { body, idempotencyKey: clientId });
  const { session, run } = await patiently("starting the session", created, json);
  if (json) await print({ session, run });
  if (given["no-follow"] || run === null) {
    if (!json) await printText(session.id);
    return exitCodes.ok;
  }
  if (!json) say(quiet(`· ${session.id} · Ctrl-C leaves it to work`));
  const from = { after: 0 };
  return live({ client, session: session.id, json, from, run: run.id, hide: run.messageId });
});

async function promptOf(words: readonly string[]): Promise<string> {
  return words.length === 1 && words[0] === "-" ? text(process.stdin) : words.join(" ");
}
