import { canonicalJson } from "@holdfast/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parrot } from "./testing/parrot.ts";
import { endPlaces, openPlace, type Place } from "./testing/place.ts";

/** One host for all of it. */
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
