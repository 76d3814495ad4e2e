import { afterEach, expect, test } from "vitest";
import { aModel, endModels, post, streamed } from "./testing.ts";

const tools = [{ type: "function", function: { name: "bash", parameters: {} } }];
const asking = (content: string, more: object = { tools }) => ({
  stream: true,
  messages: [{ role: "user", content }],
  ...more,
});

afterEach(endModels);

test("the record tells agents apart by their address, and titles from conversations", async () => {
  const model = await aModel();
  await post(model, "/v1/chat/completions", asking("Apples."));
  await post(model, "/v1/chat/completions", asking("Apples, a title", {}));
  const { record } = model;
  expect(record.last({ place: "here" })).toMatchObject({ number: 1, wire: "chat", isSide: false });
  expect(record.exchanges).toMatchObject([{ isSide: false }, { isSide: true }]);
  expect(record.last({ place: "elsewhere" })).toBeNull();
  expect(record.last({ said: "Pears" })).toBeNull();
});

test("a request can be waited for", async () => {
  const model = await aModel();
  const coming = model.record.until({ said: "Pears" });
  await post(model, "/v1/chat/completions", asking("Apples."));
  await post(model, "/v1/chat/completions", asking("Pears."));
  expect(await coming).toMatchObject({ number: 2 });
});

test("a request outside all wire formats is recorded", async () => {
  const model = await aModel();
  const response = await fetch(`${model.urlFor("here")}/v1/models`);
  expect(response.status).toBe(404);
  await post(model, "/v1/chat/completions", { messages: "none" }).catch(() => undefined);
  expect(model.record.strays).toEqual([
    "GET /here/v1/models",
    expect.stringContaining("POST /here/v1/chat/completions: "),
  ]);
});

test("a slow reply comes whole in the end", async () => {
  const model = await aModel({ paceMs: 1 });
  const events = await streamed(await post(model, "/v1/chat/completions", asking("[[slow 5]]")));
  expect(events.at(-1)?.data).toBe("[DONE]");
});

test("a restarted model answers on its old port, and has cut the open replies", async () => {
  const model = await aModel();
  const hanging = await post(model, "/v1/chat/completions", asking("[[hang]]"));
  const cut = hanging.text();
  await Promise.all([expect(cut).rejects.toThrow(), endModels()]);
  const again = await aModel({ port: model.port });
  const events = await streamed(await post(again, "/v1/chat/completions", asking("[[text x]]")));
  expect(events.at(-1)?.data).toBe("[DONE]");
});
