/**
 * A person's actions while the host is unreachable: stored, delivered once, and kept when the
 * browser is killed.
 */

import assert from "node:assert/strict";
import type { Suite } from "../../long/suite.ts";
import { onStage, profile, type StageOptions } from "../hosts.ts";
import { answersIn, messagesOf, numbersIn, soundJournal, upTo } from "../journal.ts";
import { buttons, regions, said } from "../words.ts";

async function hostDown(): Promise<readonly string[]> {
  return onStage(async (stage) => {
    const { world } = stage;
    const asking = (await world.create("/ask /say thanks")).id;
    const idle = (await world.create("/say hello")).id;
    const answering = await stage.enter(asking);
    const writing = await stage.enter(idle);
    await answering.seesRegion(regions.decision);
    await writing.sees(said.done);
    await world.kill();
    await writing.sees(said.hostAway);
    await writing.write("/say only once");
    await writing.press(buttons.send);
    await writing.sees(said.kept);
    await answering.answer(buttons.allow);
    await answering.sees(said.keptAnswer);
    assert.equal((await writing.interruptions()) + (await answering.interruptions()), 0);
    await world.start();
    await answering.sees(said.done);
    await writing.sees(new RegExp(`only once\\s+${said.done}`));
    await writing.seesNo(said.kept);
    const sent = messagesOf(await soundJournal(world, idle));
    assert.deepEqual(
      sent.map(({ content }) => content),
      ["/say hello", "/say only once"],
    );
    assert.equal(answersIn(await soundJournal(world, asking)), 1);
  });
}

const LOST = 7;

export async function lostReply(options: StageOptions = {}): Promise<readonly string[]> {
  return onStage(async (stage) => {
    const { world, wire } = stage;
    const { id } = await world.create("/say hello");
    const page = await stage.enter(id);
    await page.sees(said.done);
    // A call is tried three times with one key, and the browser repeats each try once; only after
    // that the outbox sends again.
    wire.loseReplyTo(/POST \S+\/messages/, LOST);
    await page.write("/say only once");
    await page.press(buttons.send);
    await page.until("the losses", async () => wire.toLose === 0);
    await page.until("an empty outbox", async () => wire.count("POST", /\/messages$/) > LOST);
    await page.until("the end", async () => (await world.session(id)).status === "idle");
    const sent = messagesOf(await soundJournal(world, id));
    assert.deepEqual(
      sent.map(({ content }) => content),
      ["/say hello", "/say only once"],
    );
    await page.until("it once", async () => {
      return (await page.transcript()).match(/\/say only once/g)?.length === 1;
    });
  }, options);
}

/** A run long enough for Chromium to write localStorage to disk. */
const COUNT = 140;

async function killed(): Promise<readonly string[]> {
  return onStage(
    async (stage) => {
      const { world, browser } = stage;
      const { id } = await world.create();
      const page = await stage.enter(id, { device: profile });
      await page.write(`/slow=50 /count=${COUNT}`);
      await page.press(buttons.send);
      await page.counts(1);
      await page.write("a draft");
      await page.counts(COUNT);
      const other = (await world.create("/say other")).id;
      const second = await stage.page({ device: profile });
      await second.open(`/s/${other}`);
      await second.sees(said.done);
      await world.kill();
      await second.sees(said.hostAway);
      await second.write("/say only once");
      await second.press(buttons.send);
      await second.sees(said.kept);
      await browser.kill();
      await world.start();
      await browser.start();
      const again = await stage.page({ device: profile });
      await again.open(`/s/${id}`);
      await again.sees(said.done);
      assert.deepEqual(await again.counted(), upTo(COUNT));
      assert.equal(await again.draft(), "a draft");
      assert.deepEqual(numbersIn(await soundJournal(world, id)), upTo(COUNT));
      await again.until("what was kept", async () => {
        return messagesOf(await world.events(other)).length === 2;
      });
      await again.open(`/s/${other}`);
      await again.sees("/say only once");
      const [, sent] = messagesOf(await soundJournal(world, other));
      assert.equal(sent?.content, "/say only once");
    },
    { ownBrowser: true },
  );
}

export const outbox: Suite = {
  name: "outbox",
  async run({ test, short }) {
    if (short) return;
    await test("a message whose answer was lost is sent again, and accepted once [F26]", lostReply);
    await test(
      "a prompt and an answer given while the host was down are delivered once when it is back [F26] [U25]",
      hostDown,
    );
    await test(
      "a browser killed with -9 and opened again shows the completed run and the draft, and delivers the stored messages [R003-64]",
      killed,
    );
  },
};
