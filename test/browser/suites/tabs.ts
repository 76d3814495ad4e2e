/** Several tabs and devices on one session: they are equal, and any of them can act. */

import assert from "node:assert/strict";
import type { Suite } from "../../long/suite.ts";
import { kinds } from "../../story/world.ts";
import { onStage, type Stage, type StageOptions } from "../hosts.ts";
import { answersIn, numbersIn, soundJournal } from "../journal.ts";
import type { Page } from "../page.ts";
import { buttons, regions, said } from "../words.ts";

const TABS = 6;

async function six(): Promise<readonly string[]> {
  return onStage(async (stage) => {
    const { id } = await stage.world.create("/slow=30 /count=2000");
    const device = await stage.browser.newDevice();
    const first = await stage.enter(id, { device });
    const others = await Promise.all(
      Array.from({ length: TABS - 1 }, async () => {
        const page = await stage.page({ device });
        await page.open(`/s/${id}`);
        return page;
      }),
    );
    const pages = [first, ...others];
    for (const page of pages) await page.counts(10);
    for (const page of pages) await page.sees(said.generating);
    // The last tab, to show that any tab can stop the run.
    await pages[TABS - 1]?.press(buttons.stop);
    for (const page of pages) await page.sees(said.cancelled);
    const events = await soundJournal(stage.world, id);
    for (const page of pages) assert.deepEqual(await page.counted(), numbersIn(events));
    assert.equal(kinds(events, "run.cancel_requested").length, 1);
    assert.equal(kinds(events, "run.cancelled").length, 1);
  });
}

/** Closing a page is not cancelling: the run continues without it. */
async function closing(): Promise<readonly string[]> {
  return onStage(async (stage) => {
    const { id } = await stage.world.create("/slow=20 /count=100");
    const page = await stage.enter(id);
    await page.counts(5);
    await page.target.close();
    await stage.world.untilKind(id, "run.completed");
    const events = await soundJournal(stage.world, id);
    assert.equal(numbersIn(events).length, 100);
    assert.equal(kinds(events, "run.cancel_requested").length, 0);
  });
}

export async function answeredElsewhere(options: StageOptions = {}): Promise<readonly string[]> {
  return onStage(async (stage) => {
    const { id } = await stage.world.create("/ask /say thanks");
    const desk = await stage.enter(id);
    const phone = await stage.enter(id);
    await desk.seesRegion(regions.decision);
    await phone.seesRegion(regions.decision);
    await phone.lock();
    stage.wire.cut();
    await desk.answer(buttons.allow);
    await stage.world.untilKind(id, "run.completed");
    await phone.unlock();
    await phone.seesNoRegion(regions.decision);
    const [device] = (await stage.world.client.call("listDevices")).devices;
    await phone.sees(new RegExp(`${said.allowed} by .*${device?.name ?? "nobody"}`));
    await phone.sees(said.done);
    await desk.seesNo(`${said.allowed} by`);
    assert.equal(answersIn(await soundJournal(stage.world, id)), 1);
    await whileTyping(stage, desk);
  }, options);
}

/** The run ends at once after the answer, which must not take the notice away. */
async function whileTyping({ world }: Stage, page: Page): Promise<void> {
  const { id } = await world.create("/ask");
  await page.open(`/s/${id}`);
  await page.press(buttons.why);
  await page.target.send("Input.insertText", { text: "It is the wrong folder" });
  const { runId, approvalId } = await world.untilKind(id, "approval.requested");
  const params = { sessionId: id, runId, approvalId };
  await world.client.call("decideApproval", { params, body: { decision: "allow" } });
  await world.untilKind(id, "run.completed");
  await page.sees(said.done);
  await page.sees(new RegExp(`${said.allowed} by .*It is the wrong folder`, "s"));
  await page.press(buttons.intoBox);
  assert.equal(await page.draft(), "It is the wrong folder");
  await page.seesNo(`${said.allowed} by`);
}

export const tabs: Suite = {
  name: "tabs",
  async run({ test, short }) {
    await test(
      "a question answered on one device, while another is frozen, is gone there when it thaws, which says who answered, and a typed reason is kept [R003-7]",
      answeredElsewhere,
    );
    if (short) return;
    await test(
      "six tabs show the same run, and any of them stops it for all [R003-7] [R003-65] [U23]",
      six,
    );
    await test("a run continues when the last tab is closed [U23] [R003-63]", closing);
  },
};
