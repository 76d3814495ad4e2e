import { afterEach, expect, test } from "vitest";
import type { Model } from "./server.ts";
import { aModel, begun, dataOf, endModels, post, streamed } from "./testing.ts";

interface Event {
  readonly type: string;
  readonly sequence_number: number;
  readonly output_index: number;
  readonly delta: string;
  readonly item: Item;
  readonly response: { readonly status: string; readonly output: readonly Item[] };
}

interface Item {
  readonly type: string;
  readonly call_id?: string;
  readonly name?: string;
  readonly arguments?: string;
  readonly content?: readonly { readonly type: string; readonly text?: string }[];
}

const parameters = {
  type: "object",
  properties: {
    cmd: { type: "string" },
    sandbox_permissions: { type: "string" },
    yield_time_ms: { type: "number" },
  },
  required: ["cmd"],
};
const tools = [
  { type: "web_search" },
  { type: "namespace", tools: [{ type: "function", name: "exec_command", parameters }] },
];

afterEach(endModels);

const ask = (model: Model, input: unknown) =>
  post(model, "/v1/responses", {
    model: "any",
    stream: true,
    tools,
    input,
    instructions: "Be brief.",
  });

const user = (text: string) => ({
  type: "message",
  role: "user",
  content: [{ type: "input_text", text }],
});

/** Checks that the streamed pieces match the final output, and returns it. */
function output(events: readonly Event[]): readonly Item[] {
  const end = events.at(-1);
  expect(events.map(({ sequence_number }) => sequence_number)).toEqual([...events.keys()]);
  expect(end).toMatchObject({ type: "response.completed", response: { status: "completed" } });
  const items = end?.response.output ?? [];
  const done = events.filter(({ type }) => type === "response.output_item.done");
  expect(done.map(({ item }) => item)).toEqual(items);
  for (const [index, item] of items.entries()) {
    const pieces = events.filter((e) => e.output_index === index && e.type.endsWith(".delta"));
    const whole = item.arguments ?? item.content?.map(({ text }) => text).join("");
    if (item.content?.[0]?.type !== "refusal") {
      expect(pieces.map(({ delta }) => delta).join("")).toBe(whole);
    }
  }
  return items;
}

test("a reply is one message", async () => {
  const events = await streamed(await ask(await aModel(), "[[text Good day to you.]]"));
  expect(output(dataOf(events))).toMatchObject([
    { type: "message", content: [{ type: "output_text", text: "Good day to you." }] },
  ]);
});

test("a tool is called as the request offers it, and the result ends the turn", async () => {
  const model = await aModel();
  const prompt = user("[[tool shell echo hello]]");
  const [said, call] = output(dataOf(await streamed(await ask(model, [prompt]))));
  expect(call).toMatchObject({ type: "function_call", name: "exec_command" });
  const input = { cmd: "echo hello", sandbox_permissions: "require_escalated" };
  expect(JSON.parse(call?.arguments ?? "")).toEqual(input);

  const id = call?.call_id;
  const result = { type: "function_call_output", call_id: id, output: "hello" };
  // Neither entry counts as text.
  const aside = [{ type: "reasoning" }, { type: "additional_tools", role: "developer", tools }];
  const turn = [prompt, said, ...aside, call, result];
  const after = output(dataOf(await streamed(await ask(model, turn))));
  expect(after).toMatchObject([{ content: [{ text: "Done: shell echo hello." }] }]);
  expect(model.record.last({ place: "here" })?.conversation).toEqual([
    { role: "system", text: "Be brief." },
    { role: "user", text: "[[tool shell echo hello]]" },
    { role: "assistant", text: "I use a tool. " },
    { role: "assistant", toolCall: { id, name: "exec_command", input } },
    { role: "tool", toolResult: { id, text: "hello" } },
  ]);
});

test("a reply that hangs has begun and does not end", async () => {
  const events = await begun(await ask(await aModel(), [user("[[hang]]")]), 6);
  const types = events.map(({ event }) => event);
  expect(types).toContain("response.output_text.delta");
  expect(types).not.toContain("response.completed");
});

test.for([
  ["[[error 429]]", 429, "rate_limit_exceeded"],
  ["[[error 500]]", 500, "server_error"],
  ["[[401]]", 401, "invalid_api_key"],
  ["[[overloaded]]", 503, "server_is_overloaded"],
] as const)("%s is an error of the provider", async ([tag, status, code]) => {
  const response = await ask(await aModel(), [user(tag)]);
  expect(response.status).toBe(status);
  expect(await response.json()).toMatchObject({ error: { code } });
});

test("a refusal is content of its own kind", async () => {
  const events = dataOf<Event>(await streamed(await ask(await aModel(), "[[refusal]]")));
  expect(output(events)).toMatchObject([
    { content: [{ type: "refusal", refusal: "I will not do that." }] },
  ]);
  expect(events.map(({ type }) => type)).toContain("response.refusal.delta");
});
