/** A run on the page: every state, across reloads, in one view that follows and acts. */

import assert from "node:assert/strict";
import type { Suite } from "../../long/suite.ts";
import { kinds } from "../../story/world.ts";
import { onStage, type StageOptions } from "../hosts.ts";
import { answersIn, messagesOf, numbersIn, soundJournal, upTo } from "../journal.ts";
import { buttons, regions, said, tabs } from "../words.ts";

const COUNT = 60;

async function reloaded(): Promise<readonly string[]> {
  return onStage(async (stage) => {
    const { id } = await stage.world.create(`/slow=50 /count=${COUNT}`);
    const page = await stage.enter(id);
    await page.counts(5);
    await page.reload();
    await page.sees(said.generating);
    await page.press(buttons.back);
    await page.until("the list", async () => (await page.region(regions.transcript)) === null);
    await page.openSession(id);
    await page.counts(COUNT);
    await page.sees(said.done);
    assert.deepEqual(await page.counted(), upTo(COUNT));
    assert.deepEqual(numbersIn(await soundJournal(stage.world, id)), upTo(COUNT));
    assert.equal(page.loads, 2);
  });
}

export async function states(options: StageOptions = {}): Promise<readonly string[]> {
  return onStage(async (stage) => {
    const { id } = await stage.world.create();
    const page = await stage.enter(id);
    const say = async (text: string) => {
      await page.write(text);
      await page.press(buttons.send);
    };

    await say(`/slow=50 /count=${COUNT}`);
    await page.counts(3);
    await page.sees(said.generating);
    await page.press(buttons.stop);
    await page.sees(said.cancelled);
    const kept = await page.counted();
    assert.ok(kept.length >= 3 && kept.length < COUNT, "what was said is not kept");

    await say("/say here is my question: /ask /say and my thanks");
    await page.seesRegion(regions.decision);
    assert.match(await page.transcript(), /here is my question/);
    // Paused while it waits: the question stays, and the answer revives the agent.
    await stage.world.client.call("pauseSession", { params: { sessionId: id }, body: {} });
    await page.sees(said.paused);
    assert.match(await page.transcript(), /here is my question/);
    await page.answer(buttons.allow);
    await page.sees(said.done);
    await page.seesNo(said.paused);

    await say("/fail");
    await page.seesRegion(regions.failed);
    assert.match(await page.transcript(), /I begin, and then I must not go on/);
    // The region and the end of the transcript are drawn one after the other.
    await page.until("the reason", async () => /against the policy/.test(await page.transcript()));
    await page.press(buttons.retry);
    await page.until("a second failure", async () => {
      const shown = (await page.transcript()).match(/against the policy/g);
      return shown?.length === 2;
    });
    await page.press(buttons.fromHere);
    await page.until("a third one, from where it broke", async () => {
      const events = await stage.world.events(id);
      const last = events.findLast((event) => event.kind === "run.started");
      return kinds(events, "run.failed").length === 3 && last?.from === "error";
    });

    const events = await soundJournal(stage.world, id);
    assert.deepEqual(numbersIn(events), kept);
    assert.equal(kinds(events, "run.cancelled").length, 1);
    assert.equal(kinds(events, "run.completed").length, 1);
    assert.equal(answersIn(events), 1);
    assert.equal(messagesOf(events).length, 3);

    await say("/stall");
    await page.sees(said.generating);
    await page.write("never sent");
    await page.press(buttons.queue);
    await page.sees("1 message waits");
    await page.press(buttons.side);
    await page.press(tabs.details);
    await page.press(buttons.end);
    await page.sees("1 queued message will not be sent, but you can still read it: “never sent”.");
    await page.target.evaluate((verb) => {
      const all = [...document.querySelectorAll<HTMLElement>("[role=dialog] button")];
      all.find(({ innerText }) => innerText === verb)?.click();
    }, buttons.end);
    await page.sees("This session has ended");
    await page.press(buttons.closeSide);
    await page.seesRegion(regions.neverSent);
    assert.match((await page.region(regions.neverSent)) ?? "", /never sent$/);
  }, options);
}

/** One view that finds the run by itself, follows it, reconnects, answers and stops it. */
async function oneView(): Promise<readonly string[]> {
  return onStage(async (stage) => {
    const { id } = await stage.world.create("/say first /ask /slow=30 /count=1000");
    const page = await stage.enter(id);
    await page.seesRegion(regions.decision);
    stage.wire.cut();
    await page.answer(buttons.allow);
    await page.counts(5);
    stage.wire.cut();
    const seen = (await page.counted()).length;
    await page.counts(seen + 20);
    await page.press(buttons.stop);
    await page.sees(said.cancelled);
    await page.write("/say one more");
    await page.press(buttons.send);
    await page.sees(said.done);
    const events = await soundJournal(stage.world, id);
    assert.deepEqual(await page.counted(), numbersIn(events));
    assert.equal(answersIn(events), 1);
    assert.equal(messagesOf(events).length, 2);
  });
}

/** By a button: phones have no Ctrl Enter. */
async function sentNow(): Promise<readonly string[]> {
  return onStage(async (stage) => {
    const { id } = await stage.world.create("/slow=50 /count=2000");
    const page = await stage.enter(id);
    await page.counts(3);
    await page.write("/say something else");
    await page.press(buttons.sendNow);
    await page.sees(said.cancelled);
    await page.sees(new RegExp(`something else\\s+${said.done}`));
    const events = await soundJournal(stage.world, id);
    assert.equal(kinds(events, "run.cancelled").length, 1);
    assert.equal(kinds(events, "run.completed").length, 1);
  });
}

export const runs: Suite = {
  name: "runs",
  async run({ test, short }) {
    await test(
      "a reload and a visit to the list in the middle of a run lose and repeat no text [R003-54] [R003-62] [R003-63]",
      reloaded,
    );
    await test("running, asking, paused, failed, cancelled and completed are shown as such, the text is kept, and an ended session shows what it never sent [R003-16] [R003-55] [R003-56] [R003-57] [R003-58] [R003-59] [R003-60] [R003-66]", () =>
      states());
    if (short) return;
    await test("a message sent with Send now by touch stops the run and is answered", sentNow);
    await test(
      "one view finds a run, follows it, reconnects, answers, stops and starts the next [R003-53]",
      oneView,
    );
  },
};
