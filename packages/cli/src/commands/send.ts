import { text } from "node:stream/consumers";
import { randomKey } from "@holdfast/client";
import { hint } from "../hint.ts";
import { sessionCommand } from "../host-command.ts";
import { DISMISSES, sentWords } from "../lines/session-words.ts";
import { print, say } from "../output/print.ts";

const flags = {
  interrupt: { does: "stop the current run and send this message now" },
} as const;

const spec = {
  name: "send",
  takes: "SESSION TEXT|-",
  does: "send a message; during a run it is queued",
  flags,
  words: { least: 2, most: Number.POSITIVE_INFINITY },
} as const;

export const send = sessionCommand(spec, async (client, sessionId, given) => {
  const rest = given.words.slice(1);
  const content = rest.length === 1 && rest[0] === "-" ? await text(process.stdin) : rest.join(" ");
  const clientId = randomKey();
  const whenBusy = given.interrupt ? ("interrupt" as const) : ("queue" as const);
  const body = { content, clientId, whenBusy };
  const call = { params: { sessionId }, body, idempotencyKey: clientId };
  const { session: before } = await client.call("getSession", { params: { sessionId } });
  const reply = await client.call("sendMessage", call);
  if (given.json) await print(reply);
  else if (reply.queued !== null && given.interrupt) {
    say(
      `holdfast: stopping the run; the message is sent next. Follow it with: ${hint("attach", sessionId)}`,
    );
  } else if (reply.queued !== null) {
    const release = hint("queue", sessionId, "--release");
    say(
      `holdfast: queued; sent when the run is done. If the run fails, is cancelled or is interrupted, send it with: ${release} (${DISMISSES}, if any)`,
    );
  } else say(`holdfast: ${sentWords(before)}`);
});
