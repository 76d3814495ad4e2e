import { openOutboxStorage, systemClock } from "@holdfast/client";
import { IDBFactory } from "fake-indexeddb";
import { afterEach, expect, test } from "vitest";
import { kinds } from "../../../../test/story/world.ts";
import { when } from "../../src/cell.ts";
import { Stage } from "./page.ts";

let stage: Stage | undefined;
afterEach(async () => {
  await stage?.end();
  stage = undefined;
});

/** A device: its pages come and go, its database stays. */
function device() {
  const factory = new IDBFactory();
  return () => ({
    outboxStorage: openOutboxStorage({ factory, name: "outbox", timers: systemClock }),
  });
}

const isEmpty = ({ items, isLasting }: { items: readonly unknown[]; isLasting: boolean | null }) =>
  isLasting !== null && items.length === 0;

test("prompts made while the host is down arrive once and in order when it is back, also from two tabs without locks [F26]", async () => {
  stage = await Stage.open();
  const { world } = stage;
  const { id } = await world.create();
  const phone = device();
  await world.kill();
  const dying = stage.page(phone());
  for (const word of ["one", "two", "three"]) {
    await dying.holdfast.outbox.add(id, { type: "message", content: `/say ${word}` });
  }
  // The tab is killed; only the database keeps the prompts.
  dying.holdfast.close();
  const tabs = [phone(), phone()].map((over) => stage?.page({ ...over, locks: null }));
  await world.start();
  for (const tab of tabs) if (tab !== undefined) await when(tab.holdfast.outbox, isEmpty);
  await expect
    .poll(async () => kinds(await world.events(id), "run.completed").length, { timeout: 20_000 })
    .toBe(3);
  const events = await world.events(id);
  const told = kinds(events, "message.user").map((event) => "content" in event && event.content);
  expect(told).toEqual(["/say one", "/say two", "/say three"]);
});

test("a prompt that arrived before its tab was killed is not sent a second time [F26]", async () => {
  stage = await Stage.open();
  const { world } = stage;
  const { id } = await world.create();
  const phone = device();
  const arrived = Promise.withResolvers<void>();
  // The host receives the message, but its answer never reaches the page.
  const fetch = async (url: string, init: RequestInit) => {
    const response = await globalThis.fetch(url, init);
    if (!url.endsWith("/messages")) return response;
    arrived.resolve();
    return new Promise<Response>(() => undefined);
  };
  const dying = stage.page({ ...phone(), fetch, locks: null });
  await dying.holdfast.outbox.add(id, { type: "message", content: "/say once" });
  await arrived.promise;
  dying.holdfast.close();
  const next = stage.page(phone());
  await when(next.holdfast.outbox, isEmpty);
  await world.untilKind(id, "run.completed");
  expect(next.posts("messages")).toBe(1);
  expect(kinds(await world.events(id), "message.user")).toHaveLength(1);
});

test("an answer given offline is delivered with its digest, and one that came too late says who was first [F9] [F10]", async () => {
  stage = await Stage.open();
  const { world } = stage;
  const { id } = await world.create("/ask=2");
  const opened = stage.open(id);
  const { run, approvals } = await opened.is((snapshot) => snapshot.approvals.length === 1);
  const [asked] = approvals;
  if (run === null || asked === undefined) throw new Error("It asked nothing.");
  const answer = { runId: run.id, approvalId: asked.id, decision: "allow" } as const;
  const { outbox } = opened.holdfast;
  await outbox.add(id, { type: "approval", ...answer, digest: "of something else" });
  const wrong = await when(outbox, ({ items }) => items[0]?.state === "refused");
  expect(wrong.items[0]?.refusal?.code).toBe("approval_mismatch");
  await outbox.dismiss(wrong.items[0]?.n ?? 0);
  await world.kill();
  await outbox.add(id, { type: "approval", ...answer, digest: asked.digest });
  await when(outbox, ({ items }) => items[0]?.problem != null);
  await world.start();
  await when(outbox, isEmpty);
  await outbox.add(id, { type: "approval", ...answer, decision: "deny", digest: asked.digest });
  const late = await when(outbox, ({ items }) => items[0]?.state === "refused");
  expect(late.items[0]?.refusal?.message).toContain("allow");
  const decided = kinds(await world.events(id), "approval.decided");
  expect(
    decided.filter((event) => "approvalId" in event && event.approvalId === asked.id),
  ).toHaveLength(1);
});
