/** Locked phones, closed laptops, and dead connections that look open. */

import assert from "node:assert/strict";
import type { Suite } from "../../long/suite.ts";
import { onStage, type Stage, type StageOptions } from "../hosts.ts";
import { numbersIn, soundJournal, upTo } from "../journal.ts";
import type { Page } from "../page.ts";
import { said } from "../words.ts";

const COUNT = 120;
/** Limit for "at once": shorter than a reconnect delay. */
const AT_ONCE_MS = 5000;
/**
 * The host has 4 s to answer a page that wakes up; without a request the page would take 24 s to
 * notice.
 */
const ASKED_MS = 9000;
/** Longest time until a dead connection is noticed. */
const NOTICED_MS = 40_000;
/** A stopped page notices a jump of the clock only if it is longer than a busy page may be late. */
const STOPPED_MS = 17_000;

/** A run that streams for some seconds, and a page that shows its beginning. */
async function streaming(stage: Stage, count = COUNT): Promise<{ id: string; page: Page }> {
  const { id } = await stage.world.create(`/slow=40 /count=${count}`);
  const page = await stage.enter(id);
  await page.counts(5);
  return { id, page };
}

/** Checks that page and journal have every word once, in order. */
async function wholeOnce(stage: Stage, page: Page, id: string, count = COUNT): Promise<void> {
  assert.deepEqual(await page.counted(), upTo(count));
  assert.deepEqual(numbersIn(await soundJournal(stage.world, id)), upTo(count));
  assert.equal(page.loads, 1, "it was loaded again");
}

export async function locked(options: StageOptions = {}): Promise<readonly string[]> {
  return onStage(async (stage) => {
    const { id, page } = await streaming(stage);
    await page.lock();
    stage.wire.refuse(true);
    const before = (await page.counted()).length;
    await stage.world.untilKind(id, "run.completed");
    assert.ok((await page.counted()).length < before + 5, "it is not frozen: this proves nothing");
    stage.wire.refuse(false);
    await page.unlock();
    await page.counts(COUNT, AT_ONCE_MS);
    await page.sees(said.done);
    await wholeOnce(stage, page, id);
  }, options);
}

/** The worst case: a frozen page on a connection that is dead without notice. */
export async function lockedSilently(options: StageOptions = {}): Promise<readonly string[]> {
  return onStage(async (stage) => {
    const { id, page } = await streaming(stage);
    await page.lock();
    stage.wire.silence();
    await stage.world.untilKind(id, "run.completed");
    await page.unlock();
    await page.counts(COUNT, ASKED_MS);
    await page.sees(said.done);
    await wholeOnce(stage, page, id);
  }, options);
}

export async function halfOpen(options: StageOptions = {}): Promise<readonly string[]> {
  return onStage(async (stage) => {
    const { id, page } = await streaming(stage);
    stage.wire.refuse(false);
    stage.wire.silence();
    await page.sees(said.hostAway, NOTICED_MS);
    await page.counts(COUNT);
    await page.sees(said.done);
    await page.seesNo(said.hostAway);
    await wholeOnce(stage, page, id);
    assert.equal(await page.interruptions(), 0);
  }, options);
}

async function stopped(): Promise<readonly string[]> {
  return onStage(
    async (stage) => {
      const { id, page } = await streaming(stage);
      const pids = await stage.browser.renderers();
      for (const pid of pids) process.kill(pid, "SIGSTOP");
      stage.wire.silence();
      const slept = new Promise((resolve) => setTimeout(resolve, STOPPED_MS));
      await Promise.all([slept, stage.world.untilKind(id, "run.completed")]);
      for (const pid of pids) process.kill(pid, "SIGCONT");
      await page.counts(COUNT);
      await page.sees(said.done);
      await wholeOnce(stage, page, id);
    },
    { ownBrowser: true },
  );
}

export const sleep: Suite = {
  name: "sleep",
  async run({ test, short }) {
    await test(
      "a phone locked in the middle of an answer, its socket dead, shows all of it at once when it is unlocked, each word once [F31] [U10]",
      locked,
    );
    if (short) return;
    await test(
      "a phone locked while its connection died unnoticed asks at once when it is unlocked [F31] [U10]",
      lockedSilently,
    );
    await test(
      "a half-open connection is noticed, shown, and repaired without a reload [U9]",
      halfOpen,
    );
    await test(
      "a browser that the system stopped silently is up to date soon after it continues [U10]",
      stopped,
    );
  },
};
