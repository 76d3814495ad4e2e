import { text } from "node:stream/consumers";
import { randomKey } from "@holdfast/client";
import { command } from "../command.ts";
import { connect, isLocal } from "../connect.ts";
import { exitCodes } from "../exit.ts";
import { hostFlags } from "../flags.ts";
import { live } from "../live.ts";
import { policyOf } from "../policy-words.ts";
import { print, printText, say } from "../print.ts";
import { withProgressNotes } from "../progress-notes.ts";
import { quiet } from "../words.ts";
import { workPlace } from "../work-place.ts";

const flags = {
  agent: { value: "NAME", does: "which agent (default demo, which needs no key)" },
  title: { value: "TEXT", does: "the session's title" },
  workspace: {
    value: "PATH",
    does: "the folder to work in (default: this one; demo: a new one)",
  },
  scratch: { does: "work in an empty folder of the session's own" },
  policy: {
    value: "NAME=VALUE,…",
    does: "settings of this session: idlePause=60000,onOpen=read,sessionTtl=off",
  },
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
  const { agent = "demo", title, model, json, workspace, scratch } = given;
  const policy = policyOf(given.policy);
  const place = { agent, workspace, scratch, isLocal: isLocal(given), cwd: process.cwd() };
  const path = workPlace(place);
  const client = await connect(given);
  const message = await promptOf(given.words);
  const clientId = randomKey();
  const body = {
    agent,
    message,
    clientId,
    ...(title === undefined ? {} : { title }),
    ...(model === undefined ? {} : { model }),
    ...(policy === null ? {} : { policy }),
    ...(path === null ? {} : { workspace: { kind: "in-place" as const, path } }),
  };
  const created = client.call("createSession", { body, idempotencyKey: clientId });
  const { session, run } = await withProgressNotes("starting the session", created, json);
  if (json) await print({ session, run });
  else say(quiet(`· ${startWords(agent, path)}`));
  if (given["no-follow"] || run === null) {
    if (!json) await printText(session.id);
    return exitCodes.ok;
  }
  if (!json) say(quiet(`· ${session.id} · Ctrl-C leaves it to work`));
  const from = { after: 0 };
  return live({ client, session: session.id, json, from, run: run.id, hide: run.messageId });
});

/** Names the folder, the agent and its rights, after the host has accepted the session. */
function startWords(agent: string, path: string | null): string {
  const where = path === null ? "a new folder of its own" : path;
  return `${agent} works in ${where}, with all your rights: nothing confines it`;
}

async function promptOf(words: readonly string[]): Promise<string> {
  return words.length === 1 && words[0] === "-" ? text(process.stdin) : words.join(" ");
}
