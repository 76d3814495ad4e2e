import { afterEach, expect, test } from "vitest";
import type { Model } from "./server.ts";
import { aModel, begun, dataOf, endModels, post, streamed } from "./testing.ts";

interface Chunk {
  readonly candidates: readonly {
    readonly content: { readonly parts: readonly Part[] };
    readonly finishReason?: string;
  }[];
  readonly usageMetadata?: { readonly totalTokenCount: number };
}

interface Part {
  readonly text?: string;
  readonly functionCall?: { readonly id: string; readonly name: string; readonly args: unknown };
}

const parametersJsonSchema = {
  type: "object",
  properties: { file_path: { type: "string" }, content: { type: "string" } },
  required: ["file_path", "content"],
};
const tools = [{ functionDeclarations: [{ name: "write_file", parametersJsonSchema }] }];

afterEach(endModels);

const ask = (model: Model, contents: unknown[]) =>
  post(model, "/v1beta/models/any-pro:streamGenerateContent?alt=sse", {
    tools,
    contents,
    systemInstruction: { role: "user", parts: [{ text: "Be brief." }] },
  });

const user = (text: string) => ({ role: "user", parts: [{ text }] });

function content(chunks: readonly Chunk[]) {
  const candidates = chunks.flatMap((chunk) => chunk.candidates);
  const parts = candidates.flatMap((candidate) => candidate.content.parts);
  return {
    text: parts.map(({ text = "" }) => text).join(""),
    calls: parts.flatMap(({ functionCall }) => functionCall ?? []),
    stop: candidates.find(({ finishReason }) => finishReason)?.finishReason,
  };
}

test("a reply is text, then the reason to stop with the usage", async () => {
  const events = await streamed(await ask(await aModel(), [user("[[text Good day to you.]]")]));
  const chunks = dataOf<Chunk>(events);
  expect(content(chunks)).toEqual({ text: "Good day to you.", calls: [], stop: "STOP" });
  expect(chunks.at(-1)?.usageMetadata?.totalTokenCount).toBe(110);
});

test("a tool is called as the request offers it, and the result ends the turn", async () => {
  const model = await aModel();
  const prompt = user("[[tool write /work/a.txt]]");
  const { calls } = content(dataOf(await streamed(await ask(model, [prompt]))));
  const args = { file_path: "/work/a.txt", content: "written by the model\n" };
  expect(calls).toMatchObject([{ name: "write_file", args }]);

  const id = calls[0]?.id;
  const functionResponse = { id, name: "write_file", response: { output: "ok" } };
  const turn = [
    prompt,
    { role: "model", parts: [{ text: "Hm.", thought: true }, { functionCall: calls[0] }] },
    { role: "user", parts: [{ functionResponse }] },
  ];
  const after = content(dataOf(await streamed(await ask(model, turn))));
  expect(after).toMatchObject({ text: "Done: write /work/a.txt.", stop: "STOP" });
  expect(model.record.last({ place: "here" })?.conversation).toEqual([
    { role: "system", text: "Be brief." },
    { role: "user", text: "[[tool write /work/a.txt]]" },
    { role: "assistant", toolCall: { id, name: "write_file", input: args } },
    { role: "tool", toolResult: { id, text: '{"output":"ok"}' } },
  ]);
});

test("a reply that hangs has begun and does not end", async () => {
  const chunks = dataOf<Chunk>(await begun(await ask(await aModel(), [user("[[hang]]")]), 2));
  expect(content(chunks).text).toMatch(/^I begin,/);
  expect(content(chunks).stop).toBeUndefined();
});

test.for([
  ["[[error 429]]", 429, "RESOURCE_EXHAUSTED"],
  ["[[error 500]]", 500, "INTERNAL"],
  ["[[401]]", 401, "UNAUTHENTICATED"],
  ["[[overloaded]]", 503, "UNAVAILABLE"],
] as const)("%s is an error of the provider", async ([tag, code, status]) => {
  const response = await ask(await aModel(), [user(tag)]);
  expect(response.status).toBe(code);
  expect(await response.json()).toMatchObject({ error: { code, status } });
});

test("a refusal is a reason to stop", async () => {
  const events = await streamed(await ask(await aModel(), [user("[[refusal]]")]));
  expect(content(dataOf(events)).stop).toBe("SAFETY");
});
