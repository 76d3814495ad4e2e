import { canonicalJson } from "@holdfast/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parrot } from "./testing/parrot.ts";
import { endPlaces, openPlace, type Place } from "./testing/place.ts";

/** One host for all tests of this file. */
let p: Place;
beforeAll(async () => {
  p = await openPlace({ definitions: [parrot] });
});
afterAll(endPlaces);

describe("a question whose input is larger than an event", () => {
  test("is asked with its beginning and its size, and all of it is kept [S13] [P20]", async () => {
    const id = await p.create();
    const rawInput = { path: "big.txt", content: "line of a big file\n".repeat(60_000) };
    const said = '{ path: "big.txt", content: "line of a big file\\n".repeat(60000) }';
    const call = `{ toolCallId: "t", kind: "edit", rawInput: ${said} }`;
    const options = `[{ optionId: "yes", kind: "allow_once", name: "Yes" }]`;
    await p.prompt(id, `{ question: { toolCall: ${call}, options: ${options} } }`);
    const { inputBlob, inputPreview, digest } = await p.kind(id, "approval.requested");
    const whole = canonicalJson(rawInput);
    expect(whole.startsWith(inputPreview ?? "none")).toBe(true);
    expect(inputPreview?.length).toBe(4096);
    expect(inputBlob?.bytes).toBe(whole.length);
    const kept = await p.host?.blobs.get(id, inputBlob?.hash ?? "");
    expect(Buffer.from(kept ?? []).toString()).toBe(whole);
    const { run } = await p.sessions.state(id);
    expect(run?.approvals[0]).toMatchObject({ digest, inputBlob, inputPreview });
  });
});

describe("an edit larger than an event", () => {
  /** One changed line in a file of 420; both texts come whole, as ACP sends them. */
  const text = (word: string) =>
    `Array.from({ length: 420 }, (_, n) => n === 200 ? "${word}" : "line " + n + " of a file").join("\\n")`;
  const content = `[{ type: "diff", path: "/w/a.ts", oldText: ${text("old")}.repeat(3), newText: ${text("new")} + ${text("old")}.repeat(2) }]`;

  test("is journalled as the change it makes, with both texts in a blob", async () => {
    const id = await p.create();
    const call = `{ sessionUpdate: "tool_call", toolCallId: "t", kind: "edit", title: "Edit", content: ${content} }`;
    await p.prompt(id, `{ updates: [${call}] }`);
    await p.kind(id, "run.completed");
    const [added, ...more] = await p.of(id, "part.added");
    expect(more).toEqual([]);
    expect(added?.part).toMatchObject({
      type: "blob",
      preview: "",
      diff: { path: "/w/a.ts", toolCallId: "t", isNew: false, added: 1, removed: 1 },
    });
    const part = added?.part as { hash: string; bytes: number; diff: { patch: string } };
    const { hash, bytes, diff } = part;
    expect(diff.patch).toContain("\n-old\n+new\n");
    expect(bytes).toBeGreaterThan(40_000);
    const kept = Buffer.from((await p.host?.blobs.get(id, hash)) ?? []).toString();
    expect(JSON.parse(kept)).toMatchObject({ type: "diff", path: "/w/a.ts", toolCallId: "t" });
  });

  test("that is larger than a megabyte is one as well, and its input keeps its members", async () => {
    const id = await p.create();
    const whole = '"a line of a generated file\\n".repeat(60000)';
    const call = `{ sessionUpdate: "tool_call", toolCallId: "t", kind: "edit", title: "Edit",
      rawInput: { file_path: "/w/b.ts", content: ${whole} .slice(0, 500000) },
      content: [{ type: "diff", path: "/w/b.ts", oldText: ${whole}, newText: ${whole} + "one more\\n" }] }`;
    await p.prompt(id, `{ updates: [${call}] }`);
    await p.kind(id, "run.completed");
    const [added] = await p.of(id, "part.added");
    expect(added?.part).toMatchObject({ diff: { path: "/w/b.ts", added: 1, removed: 0 } });
    const [started] = await p.of(id, "tool.started");
    expect(started?.input).toMatchObject({ file_path: "/w/b.ts" });
    expect(started?.blob?.bytes).toBeGreaterThan(500_000);
  });
});

test("pictures of an agent and of a tool are kept as bytes, each once, and named with their size", async () => {
  const id = await p.create();
  const data =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  const content = { type: "image", data, mimeType: "image/png" };
  const call = { sessionUpdate: "tool_call", toolCallId: "t", kind: "fetch", title: "Screenshot" };
  const shown = [{ type: "content", content }];
  const updates = [
    { sessionUpdate: "agent_message_chunk", content },
    { ...call, content: shown },
    { sessionUpdate: "tool_call_update", toolCallId: "t", status: "completed", content: shown },
    { sessionUpdate: "agent_message_chunk", content: { ...content, data: "PHN2Zy8+" } },
  ];
  await p.prompt(id, JSON.stringify({ updates }));
  await p.kind(id, "run.completed");
  const parts = (await p.of(id, "part.added")).map(({ part }) => part);
  const picture = { type: "image", mime: "image/png", width: 1, height: 1 };
  expect(parts).toMatchObject([
    picture,
    { ...picture, toolCallId: "t" },
    { type: "image", unshown: "it is not a PNG, JPEG, GIF or WebP" },
  ]);
  const kept = Buffer.from((await p.host?.blobs.get(id, String(parts[0]?.hash))) ?? []);
  expect(kept.toString("base64")).toBe(data);
  expect(JSON.stringify(parts)).not.toContain(data);
});
