import { afterEach, expect, test } from "vitest";
import type { Model } from "./server.ts";
import { aModel, begun, dataOf, endModels, post, streamed } from "./testing.ts";

interface Chunk {
  readonly choices: readonly {
    readonly delta: {
      readonly content?: string;
      readonly tool_calls?: readonly {
        readonly id: string;
        readonly function: { readonly name: string; readonly arguments: string };
      }[];
    };
    readonly finish_reason: string | null;
  }[];
  readonly usage?: { readonly total_tokens: number };
}

const parameters = {
  type: "object",
  properties: {
    command: { type: "string" },
    description: { type: "string" },
    timeout: { type: "number" },
  },
  required: ["command", "description"],
};
const tools = [{ type: "function", function: { name: "bash", parameters } }];

afterEach(endModels);

const ask = (model: Model, messages: unknown[]) =>
  post(model, "/v1/chat/completions", { model: "any", stream: true, tools, messages });

const user = (content: unknown) => ({ role: "user", content });

function message(chunks: readonly Chunk[]) {
  const choices = chunks.flatMap((chunk) => chunk.choices);
  return {
    text: choices.map(({ delta }) => delta.content ?? "").join(""),
    calls: choices.flatMap(({ delta }) => delta.tool_calls ?? []),
    stop: choices.findLast((choice) => choice.finish_reason !== null)?.finish_reason,
  };
}

test("a reply is text, its end, its usage and [DONE]", async () => {
  const messages = [user([{ type: "text", text: "[[text Good day to you.]]" }])];
  const events = await streamed(await ask(await aModel(), messages));
  expect(events.at(-1)?.data).toBe("[DONE]");
  const chunks = dataOf<Chunk>(events);
  expect(message(chunks)).toEqual({ text: "Good day to you.", calls: [], stop: "stop" });
  expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 110 } });
});

test("a tool is called as the request offers it, and the result ends the turn", async () => {
  const model = await aModel();
  const system = { role: "developer", content: "Be brief." };
  const prompt = user("[[tool shell echo hello]]");
  const { calls, stop } = message(dataOf(await streamed(await ask(model, [system, prompt]))));
  expect(stop).toBe("tool_calls");
  expect(calls).toMatchObject([{ function: { name: "bash" } }]);
  const input = { command: "echo hello", description: "as the test asks" };
  expect(JSON.parse(calls[0]?.function.arguments ?? "")).toEqual(input);

  const id = calls[0]?.id;
  const turn = [
    ...[system, prompt, { role: "assistant", content: null, tool_calls: calls }],
    { role: "tool", tool_call_id: id, content: "hello" },
  ];
  const after = message(dataOf(await streamed(await ask(model, turn))));
  expect(after).toMatchObject({ text: "Done: shell echo hello.", stop: "stop" });
  expect(model.record.last({ place: "here" })?.conversation).toEqual([
    { role: "system", text: "Be brief." },
    { role: "user", text: "[[tool shell echo hello]]" },
    { role: "assistant", toolCall: { id, name: "bash", input } },
    { role: "tool", toolResult: { id, text: "hello" } },
  ]);
});

test("a file is written with the shell where there is no other tool", async () => {
  const events = await streamed(await ask(await aModel(), [user("[[tool write /it's.txt]]")]));
  const { calls } = message(dataOf(events));
  const { command } = JSON.parse(calls[0]?.function.arguments ?? "");
  expect(command).toBe(`printf '%s' 'written by the model\n' > '/it'\\''s.txt'`);
});

test("a reply that hangs has begun and does not end", async () => {
  const chunks = dataOf<Chunk>(await begun(await ask(await aModel(), [user("[[hang]]")]), 4));
  expect(message(chunks).text).toMatch(/^I begin,/);
  expect(message(chunks).stop).toBeUndefined();
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

test("a refusal is a reason to stop", async () => {
  const events = await streamed(await ask(await aModel(), [user("[[refusal]]")]));
  expect(message(dataOf(events)).stop).toBe("content_filter");
});
