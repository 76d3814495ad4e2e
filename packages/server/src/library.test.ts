import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Event, foldAll, packFolded, type SessionId, transcriptOf } from "@holdfast/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Base, Journal } from "./journal/journal.ts";
import { type FoldedEvents, type Host, openHost, type Start } from "./library.ts";
import { MemoryDisk, openMemoryJournal } from "./testing/memory-journal.ts";
import { done, scriptedAgent, text } from "./testing/scripted-agent.ts";

const data = mkdtempSync(join(tmpdir(), "holdfast-library-"));
const asks = { type: "ask", toolCallId: "t1", toolName: "tests", input: { run: "test" } } as const;
const asking = scriptedAgent("asking", () => [
  { ...asks, allowed: [text("Fixed.")], denied: [text("Left.")] },
  done(),
]);
const stalled = scriptedAgent("stalled", () => [text("Looking."), { type: "stall" }]);
let journal: Journal;
let host: Host;

beforeAll(async () => {
  journal = await openMemoryJournal(new MemoryDisk());
  host = await openHost({ data, journal, agents: [asking, stalled] });
});
afterAll(async () => {
  await host.close();
  rmSync(data, { recursive: true });
});

async function until(session: string, kind: Event["kind"], after = 0) {
  const events: (Event | FoldedEvents)[] = [];
  for await (const event of host.events(session, { after })) {
    events.push(event);
    if (event.kind === "approval.requested") await host.decide(session, event, "allow");
    if (event.kind === kind) break;
  }
  return events;
}

test("a session is started, its question is decided and its events are read, past and live", async () => {
  const session = await host.start({ agent: "asking", message: "Fix it" });
  const events = await until(session, "run.completed");
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  expect(events).toContainEqual(expect.objectContaining({ kind: "text.appended", text: "Fixed." }));
  const last = events.length;
  await host.send(session, "Once more", { clientId: "c1" });
  await host.send(session, "Once more", { clientId: "c1" });
  const more = await until(session, "run.completed", last);
  const sent = more.filter(({ kind }) => kind === "message.user");
  expect(sent).toEqual([expect.objectContaining({ content: "Once more" })]);
  expect(more[0]?.seq).toBe(last + 1);
});

test("cancel ends the open run, and says when there is none", async () => {
  const session = await host.start({ agent: "stalled" });
  expect(await host.cancel(session)).toBe(false);
  await host.send(session, "Go");
  await until(session, "text.appended");
  expect(await host.cancel(session)).toBe(true);
  await until(session, "run.cancelled");
});

test.each([
  ["an agent that is not there", { agent: "nobody" }],
  ["no agent", {}],
  ["an unknown field", { agent: "asking", colour: "red" }],
  ["an empty message", { agent: "asking", message: " " }],
])("a start with %s is refused", async (_, start) => {
  const refused = { name: "HostError", code: "bad_input" };
  await expect(host.start(start as Start)).rejects.toMatchObject(refused);
});

test("events that retention deleted come as one base, and the rest follows", async () => {
  const session = await host.start({ agent: "asking", message: "Fix it", title: "Kept" });
  await until(session, "run.completed");
  const { seq = 0, chain = 0 } = (await journal.standing(session as SessionId)) ?? {};
  const past: Event[] = [];
  for await (const event of host.events(session)) {
    past.push(event as Event);
    if (event.seq === seq) break;
  }
  const [state, transcript] = [foldAll(past), transcriptOf(past)].map(packFolded);
  await journal.putBase(session as SessionId, { seq, chain, state, transcript } as Base);
  await journal.trim(session as SessionId, seq);
  await host.send(session, "Once more");
  const [base, next] = await until(session, "message.user");
  expect(base).toMatchObject({ kind: "base", seq, state: { title: "Kept" } });
  expect(next).toMatchObject({ seq: seq + 1, content: "Once more" });
});

test("reports are refused through the sessions of earlier versions, which take intents", async () => {
  const { sessions } = host;
  const id = sessions.newId("session");
  const created = { sessionId: id, tenant: "me", title: "Old", agentName: "asking" };
  await sessions.execute(id, "create", created);
  const died = sessions.execute(id, "agentExited" as never, { reason: "exit" } as never);
  await expect(died).rejects.toMatchObject({ code: "bad_input" });
  for await (const followed of sessions.follow(id, 0)) {
    expect(followed.type).toBe("events");
    break;
  }
});
