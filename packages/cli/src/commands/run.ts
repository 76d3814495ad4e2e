import { text } from "node:stream/consumers";
import { randomKey } from "@holdfast/client";
import { command } from "../command.ts";
import { exitCodes } from "../exit.ts";
import { hostFlags } from "../flags.ts";
import { connect, isLocal } from "../host/connect.ts";
import { live } from "../live/live.ts";
import { print, printText, say } from "../output/print.ts";
import { withProgressNotes } from "../output/progress-notes.ts";
import { quiet } from "../output/words.ts";
import { policyOf } from "./policy-words.ts";
import { workPlace } from "./work-place.ts";

const flags = {
  agent: { value: "NAME", does: "the agent to use (default: demo, which needs no key)" },
  title: { value: "TEXT", does: "the session's title" },
  workspace: {
    value: "PATH",
    does: "the folder to work in (default: the current one; for demo: a new one)",
  },
  scratch: { does: "work in a new, empty folder" },
  policy: {
    value: "NAME=VALUE,…",
    does: "settings of this session, such as idlePause=60000,sessionTtl=off",
  },
  model: { value: "NAME", does: "the model to use, if the agent offers a choice" },
  "no-follow": { does: "print the session's id and return" },
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
  if (!json) say(quiet(`· ${session.id} · Ctrl-C detaches; the agent keeps working`));
  const from = { after: 0 };
  return live({ client, session: session.id, json, from, run: run.id, hide: run.messageId });
});

/** Names the folder, the agent and its rights, after the host has accepted the session. */
function startWords(agent: string, path: string | null): string {
  const where = path === null ? "a new folder" : path;
  return `${agent} works in ${where}, not isolated: it can read and change everything you can`;
}

async function promptOf(words: readonly string[]): Promise<string> {
  return words.length === 1 && words[0] === "-" ? text(process.stdin) : words.join(" ");
}
