/** A page that received wrong data: it notices and repairs itself, without its person. */

import assert from "node:assert/strict";
import type { Suite } from "../../long/suite.ts";
import { onStage, type Stage, type StageOptions } from "../hosts.ts";
import { numbersIn, soundJournal, upTo } from "../journal.ts";
import type { Page } from "../page.ts";
import { said } from "../words.ts";

const COUNT = 60;
/** A heartbeat comes within 15 s, and then the page reads the session again. */
const REPAIRED_MS = 30_000;

interface Message {
  readonly type: string;
  readonly events?: readonly { readonly kind: string; readonly text?: string }[];
}

async function streamed(
  stage: Stage,
  change: (text: string, message: Message) => string | null,
): Promise<{ id: string; page: Page }> {
  stage.wire.change = (text) => change(text, JSON.parse(text) as Message);
  const { id } = await stage.world.create(`/slow=50 /count=${COUNT}`);
  const page = await stage.enter(id);
  return { id, page };
}

const isText = ({ events = [] }: Message) => events.some(({ kind }) => kind === "text.appended");

async function rightInTheEnd(stage: Stage, page: Page, id: string): Promise<void> {
  await page.until(
    "every word",
    async () => (await page.counted()).join() === upTo(COUNT).join(),
    REPAIRED_MS,
  );
  await page.sees(said.done);
  assert.deepEqual(numbersIn(await soundJournal(stage.world, id)), upTo(COUNT));
  assert.equal(page.loads, 1, "it repairs itself without a reload");
}

async function dropped(): Promise<readonly string[]> {
  return onStage(async (stage) => {
    let lost = 0;
    const { id, page } = await streamed(stage, (text, message) => {
      if (!isText(message) || lost >= 3) return text;
      lost += 1;
      return null;
    });
    await rightInTheEnd(stage, page, id);
    assert.equal(lost, 3, "nothing was lost: this proves nothing");
  });
}

export async function altered(options: StageOptions = {}): Promise<readonly string[]> {
  return onStage(async (stage) => {
    let wrong = 0;
    const { id, page } = await streamed(stage, (text, message) => {
      if (!isText(message) || wrong > 0 || !/<\d+>/.test(text)) return text;
      wrong += 1;
      return text.replace(/<\d+>/, "<0>");
    });
    await page.sees("<0>");
    await rightInTheEnd(stage, page, id);
  }, options);
}

async function otherFolds(): Promise<readonly string[]> {
  return onStage(async (stage) => {
    let beats = 0;
    const { id, page } = await streamed(stage, (text, { type }) => {
      if (type !== "heartbeat") return text;
      beats += 1;
      return text.replace(/"foldVersion":(\d+)/, (_, n) => `"foldVersion":${Number(n) + 1}`);
    });
    await page.counts(COUNT);
    await page.sees(said.done);
    // Each new connection starts with a heartbeat, and a reload makes a new connection.
    for (const wanted of [2, 3, 4]) {
      stage.wire.cut();
      await page.until(`heartbeat ${wanted}`, async () => beats >= wanted);
    }
    await page.until("the words", async () => (await page.counted()).length === COUNT);
    assert.deepEqual(await page.counted(), numbersIn(await soundJournal(stage.world, id)));
    assert.ok(page.loads <= 2, `it was loaded ${page.loads} times`);
  });
}

export const drift: Suite = {
  name: "drift",
  async run({ test, short }) {
    if (short) return;
    await test(
      "events that were lost in transit are requested again, and shown once [F27] [F28]",
      dropped,
    );
    await test(
      "a word that was changed in transit is found by the checksum, and corrected [F27] [F28]",
      altered,
    );
    await test(
      "a host with another fold version is followed too, with at most one reload [U25]",
      otherFolds,
    );
  },
};
