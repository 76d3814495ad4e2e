import type { EventSourceMessage } from "eventsource-parser";
import { afterEach, expect, test } from "vitest";
import type { Model } from "./server.ts";
import { aModel, begun, dataOf, endModels, post, streamed } from "./testing.ts";

interface Block {
  readonly type: string;
  text?: string;
  json?: string;
  readonly id?: string;
  readonly name?: string;
}

interface Event {
  readonly type: string;
  readonly index: number;
  readonly content_block: Block;
  readonly delta: { text?: string; partial_json?: string; stop_reason?: string };
}

const tools = [
  {
    name: "Write",
    input_schema: {
      type: "object",
      properties: { file_path: { type: "string" }, content: { type: "string" } },
      required: ["file_path", "content"],
    },
  },
];

afterEach(endModels);

const ask = (model: Model, messages: unknown[]) =>
  post(model, "/v1/messages?beta=true", {
    model: "any",
    max_tokens: 100,
    stream: true,
    tools,
    messages,
    system: [{ type: "text", text: "Be brief." }],
  });

const user = (text: string) => ({ role: "user", content: [{ type: "text", text }] });

/** Accumulates a message as the library does. */
function message(events: readonly EventSourceMessage[]) {
  const blocks: Block[] = [];
  let stop: string | null = null;
  for (const { type, index, content_block, delta } of dataOf<Event>(events)) {
    const block = blocks[index];
    if (type === "content_block_start") blocks[index] = { ...content_block, json: "" };
    if (type === "content_block_delta" && block) {
      block.text = `${block.text ?? ""}${delta.text ?? ""}`;
      block.json = `${block.json}${delta.partial_json ?? ""}`;
    }
    if (type === "message_delta") stop = delta.stop_reason ?? null;
  }
  return { blocks, stop };
}

test("a reply is one text block", async () => {
  const response = await ask(await aModel(), [user("[[text Good day to you.]]")]);
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  const events = await streamed(response);
  expect(events.map(({ event }) => event)).toEqual(dataOf<Event>(events).map(({ type }) => type));
  expect(events.at(0)?.event).toBe("message_start");
  expect(events.at(-1)?.event).toBe("message_stop");
  expect(message(events)).toMatchObject({
    blocks: [{ type: "text", text: "Good day to you." }],
    stop: "end_turn",
  });
});

test("a tool is called as the request offers it, and the result ends the turn", async () => {
  const model = await aModel();
  const prompt = user("[[tool write /work/a.txt]]");
  const { blocks, stop } = message(await streamed(await ask(model, [prompt])));
  expect(stop).toBe("tool_use");
  const call = blocks[1];
  expect(call).toMatchObject({ type: "tool_use", name: "Write" });
  const input = JSON.parse(call?.json ?? "");
  expect(input).toEqual({ file_path: "/work/a.txt", content: "written by the model\n" });

  const turn = [
    prompt,
    { role: "assistant", content: [{ type: "tool_use", id: call?.id, name: "Write", input }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: call?.id, content: "ok" }] },
  ];
  const after = message(await streamed(await ask(model, turn)));
  expect(after).toMatchObject({ blocks: [{ text: "Done: write /work/a.txt." }], stop: "end_turn" });
  expect(model.record.last({ place: "here" })?.conversation).toEqual([
    { role: "system", text: "Be brief." },
    { role: "user", text: "[[tool write /work/a.txt]]" },
    { role: "assistant", toolCall: { id: call?.id, name: "Write", input } },
    { role: "tool", toolResult: { id: call?.id, text: "ok" } },
  ]);
});

test("a reply that hangs has begun and does not end", async () => {
  const response = await ask(await aModel(), [user("[[hang]]")]);
  const events = await begun(response, 4);
  expect(message(events)).toMatchObject({ blocks: [{ type: "text" }], stop: null });
  expect(message(events).blocks[0]?.text).toMatch(/^I begin,/);
});

test.for([
  ["[[error 429]]", 429, "rate_limit_error"],
  ["[[error 500]]", 500, "api_error"],
  ["[[401]]", 401, "authentication_error"],
  ["[[overloaded]]", 529, "overloaded_error"],
] as const)("%s is an error of the provider", async ([tag, status, type]) => {
  const response = await ask(await aModel(), [user(tag)]);
  expect(response.status).toBe(status);
  expect(await response.json()).toMatchObject({ type: "error", error: { type } });
});

test("a refusal is a reason to stop", async () => {
  const events = await streamed(await ask(await aModel(), [user("[[refusal]]")]));
  expect(message(events).stop).toBe("refusal");
});
