import type { Client } from "@holdfast/client";
import { age, count, neverSentWords } from "@holdfast/protocol";
import { command } from "../command.ts";
import { exitCodes, usage } from "../exit.ts";
import { hostFlags } from "../flags.ts";
import { connect } from "../host/connect.ts";
import { findSession, pick, shortId } from "../host/sessions.ts";
import { DISMISSES, isGoing, parkedWords, sentWords } from "../lines/session-words.ts";
import { print, say } from "../output/print.ts";
import { printTable } from "../output/table.ts";
import { quiet } from "../output/words.ts";

const flags = {
  release: { does: `send the waiting messages now, if no run is open (${DISMISSES}, if any)` },
  drop: { value: "MESSAGE", does: "remove this message" },
  ...hostFlags,
} as const;

const spec = {
  name: "queue",
  takes: "SESSION",
  does: "list waiting messages, send them, or remove one",
  flags,
  words: { least: 1, most: 1 },
} as const;

export const queue = command(spec, async (given) => {
  const { release, drop, json } = given;
  if (release && drop !== undefined) throw usage("Use --release or --drop, not both.");
  const client = await connect(given);
  const sessionId = await findSession(client, given.words[0] ?? "");
  if (release) await letGo(client, sessionId, json);
  else if (drop !== undefined) await takeBack(client, sessionId, drop, json);
  else await list(client, sessionId, json);
  return exitCodes.ok;
});

async function letGo(client: Client, sessionId: string, json: boolean): Promise<void> {
  const { session: before } = await client.call("getSession", { params: { sessionId } });
  const reply = await client.call("releaseQueue", { params: { sessionId } });
  if (json) await print(reply);
  else if (reply.run === null) say("holdfast: no messages are waiting");
  else say(`holdfast: ${sentWords(before)}`);
}

async function takeBack(
  client: Client,
  sessionId: string,
  word: string,
  json: boolean,
): Promise<void> {
  const waiting = await client.call("getQueue", { params: { sessionId } });
  const { id, content } = pick(waiting.queue, word, "waiting message", (one) => one.content);
  const reply = await client.call("removeQueued", { params: { sessionId, messageId: id } });
  if (json) await print(reply);
  else say(`holdfast: removed: ${content}; ${count(reply.queue.length, "message")} left`);
}

const columns = [{ head: "MESSAGE" }, { head: "AGE" }, { head: "TEXT", gives: true }] as const;

async function list(client: Client, sessionId: string, json: boolean): Promise<void> {
  const params = { sessionId };
  const [reply, { session }] = await Promise.all([
    client.call("getQueue", { params }),
    client.call("getSession", { params }),
  ]);
  if (json) return print(reply);
  if (reply.queue.length === 0) return say("holdfast: no messages are waiting");
  const rows = reply.queue.map(({ id, queuedAt, content }) => [
    { text: shortId(id), tone: "quiet" as const },
    age(queuedAt, Date.now()),
    content,
  ]);
  await printTable(columns, rows);
  const next = isGoing(session) ? "sent when the run is done" : parkedWords(session);
  if (session.lifecycle === "ended")
    say(quiet(`· ${neverSentWords(reply.queue.length)}: the session has ended`));
  else if (next !== null) say(quiet(`· ${next}`));
}
