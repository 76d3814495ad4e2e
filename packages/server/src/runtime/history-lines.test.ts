import { afterEach, expect, test } from "vitest";
import { endPlaces, openPlace } from "./testing/place.ts";

afterEach(endPlaces);

/** The requirement's words for an entry of its history file, and ours. */
const entries = {
  user_message: "message.user",
  agent_message: "text.appended",
  tool_call: "tool.started",
  tool_result: "tool.finished",
} as const;

test("the history of a session is one line per fact, in order: what people and the agent said, calls and their results", async () => {
  const p = await openPlace();
  const id = await p.create();
  await p.prompt(id, "/say before");
  await p.kind(id, "run.completed");
  await p.prompt(id, "/work");
  const asked = await p.kind(id, "approval.requested");
  const { runId, approvalId } = asked;
  await p.sessions.execute(id, "decide", { runId, approvalId, decision: "allow", by: "me" });
  await expect.poll(async () => (await p.of(id, "run.completed")).length).toBe(2);
  const slice = await p.journal.read(id, 0, 10_000);
  const lines = Buffer.from(slice?.bytes ?? [])
    .toString()
    .trim()
    .split("\n");
  const facts = lines.map((line) => JSON.parse(line) as { seq: number; kind: string });
  expect(facts.map(({ seq }) => seq)).toEqual(facts.map((_, n) => n + 1));
  for (const kind of Object.values(entries)) {
    expect(facts.filter((fact) => fact.kind === kind)).not.toEqual([]);
  }
});
