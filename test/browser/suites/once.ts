/**
 * One truth on the page: an action is drawn once while its event and its answer arrive in any order,
 * and the host is not asked for what the socket brought.
 */

import assert from "node:assert/strict";
import type { Suite } from "../../long/suite.ts";
import { onStage } from "../hosts.ts";
import { answersIn, messagesOf, soundJournal } from "../journal.ts";
import type { Page } from "../page.ts";
import { buttons, regions, said } from "../words.ts";

const SENT = "/say exactly once";

/** First the answer is held while the event arrives; then the socket is cut between the two. */
async function message(): Promise<readonly string[]> {
  return onStage(async (stage) => {
    const { world, wire } = stage;
    const { id } = await world.create("/say hello");
    const page = await stage.enter(id);
    await page.sees(said.done);
    await watchCount(page, SENT);
    const release = wire.holdReplyTo(/POST \S+\/messages/);
    await page.write(SENT);
    await page.press(buttons.send);
    await page.until("the end", async () => (await dones(page)) === 2);
    release();
    await page.until("the answer", async () => wire.toRelease === 0);
    assert.equal(await mostSeen(page), 1);

    const later = "/say exactly once, later";
    await watchCount(page, later);
    wire.change = (text) => (text.includes('"type":"events"') ? null : text);
    await page.write(later);
    await page.press(buttons.send);
    await page.sees(new RegExp(`${later}\\s+${said.sent}`));
    wire.change = null;
    wire.cut();
    await page.until("the end", async () => (await dones(page)) === 3);
    assert.equal(await mostSeen(page), 1);
    const sent = messagesOf(await soundJournal(world, id)).map(({ content }) => content);
    assert.deepEqual(sent, ["/say hello", SENT, later]);
  });
}

async function decision(): Promise<readonly string[]> {
  return onStage(async (stage) => {
    const { world, wire } = stage;
    const { id } = await world.create("/ask /say thanks");
    const page = await stage.enter(id);
    await page.seesRegion(regions.decision);
    const release = wire.holdReplyTo(/POST \S+\/approvals\//);
    await page.answer(buttons.allow);
    await page.seesNoRegion(regions.decision);
    await watchCount(page, said.sending, regions.decision);
    await page.until("the end", async () => (await dones(page)) === 1);
    assert.equal(await mostSeen(page), 0);
    release();
    await page.until("the answer", async () => wire.toRelease === 0);
    assert.equal(await mostSeen(page), 0);
    assert.equal(answersIn(await soundJournal(world, id)), 1);
  });
}

async function requests(): Promise<readonly string[]> {
  return onStage(async (stage) => {
    const { world, wire } = stage;
    const { id } = await world.create("/say hello");
    await world.untilKind(id, "run.completed");
    const page = await stage.enter(id);
    await page.sees(said.done);
    const body = { what: "holder" } as const;
    await world.client.call("breakSession", { params: { sessionId: id }, body });
    await page.write("/say again");
    await page.press(buttons.send);
    await page.until("the end", async () => (await dones(page)) === 2);
    const { receipts } = await world.client.call("listReceipts", { params: { sessionId: id } });
    assert.equal(receipts.length, 1);
    await page.sees(said.restarted);
    const asked = (what: string) => wire.count("GET", new RegExp(`/sessions/${id}/${what}(\\?|$)`));
    assert.equal(asked("transcript"), 1);
    assert.equal(asked("receipts"), 0, "receipts");
    assert.equal(asked("events"), 0, "events");
  });
}

/** Notes the highest count of lines `text` in the transcript; a region that must be absent is one more. */
async function watchCount(page: Page, text: string, absent = ""): Promise<void> {
  await page.target.evaluate(
    ([wanted = "", region = "", never = ""]) => {
      const seen = { most: 0 };
      const look = () => {
        const shown = document.querySelector<HTMLElement>(`[aria-label="${region}"]`);
        const lines = (shown?.innerText ?? "").split("\n").filter((line) => line === wanted);
        const isBack = never !== "" && document.querySelector(`[aria-label="${never}"]`) !== null;
        seen.most = Math.max(seen.most, lines.length + (isBack ? 1 : 0));
      };
      new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
      Object.assign(globalThis, { countsSeen: seen });
    },
    [text, regions.transcript, absent],
  );
}

function mostSeen(page: Page): Promise<number> {
  return page.target.evaluate(
    () => (globalThis as unknown as { countsSeen: { most: number } }).countsSeen.most,
  );
}

async function dones(page: Page): Promise<number> {
  return (await page.transcript()).match(/^Done/gm)?.length ?? 0;
}

export const once: Suite = {
  name: "once",
  async run({ test, short }) {
    await test(
      "a message is drawn once at every moment, whether its event or its answer comes first [F26]",
      message,
    );
    if (short) return;
    await test(
      "an answer counts at once and is drawn once, before its reply arrives [F26]",
      decision,
    );
    await test("the page asks for no event and no receipt that its socket brought", requests);
  },
};
