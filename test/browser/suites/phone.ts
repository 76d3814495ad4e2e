/** The page in a hand: turned on its side, and while its host is away. */

import assert from "node:assert/strict";
import type { Suite } from "../../long/suite.ts";
import { onStage } from "../hosts.ts";
import { phone } from "../page.ts";
import { buttons, regions, said } from "../words.ts";
import { interrupted } from "./restarts.ts";

const sideways = { width: 844, height: 390 };

/** How far the controls at the right end of a region are from the edge of the screen. */
function gap(selector: string): number {
  const all = [...document.querySelectorAll(`${selector} button`)];
  const ends = all.map((one) => one.getBoundingClientRect().right);
  return innerWidth - Math.max(...ends);
}

async function toTheEdge(): Promise<readonly string[]> {
  return onStage(async (stage) => {
    const page = await stage.enter(await interrupted(stage));
    await page.seesRegion(regions.interrupted);
    await page.resize(sideways);
    const banner = `[aria-label="${regions.interrupted}"]`;
    for (const place of [banner, "form:has(textarea)"]) {
      await page.until(`${place} as wide as the screen`, async () => {
        const free = await page.target.evaluate(gap, place);
        return free >= 0 && free <= 24;
      });
    }
  });
}

/** The field that has the focus: its text, and whether all of its lines can be seen. */
function field() {
  const one = document.activeElement as HTMLTextAreaElement;
  const { left, top, bottom } = one.getBoundingClientRect();
  const isSeen = (y: number) => document.elementFromPoint(left + 20, y) === one;
  return { value: one.value, isInView: isSeen(top + 6) && isSeen(bottom - 6) };
}

async function turned(): Promise<readonly string[]> {
  return onStage(async (stage) => {
    const page = await stage.enter(null);
    await page.sees(said.firstVisit);
    await page.press(buttons.newSession);
    await page.until("a field", () =>
      page.target.evaluate(() => document.activeElement instanceof HTMLTextAreaElement),
    );
    const text = "Mend the rotation of keys, and run the tests";
    await page.target.send("Input.insertText", { text });
    for (const size of [sideways, phone, sideways, phone]) {
      await page.resize(size);
      await page.until(`what was typed at ${size.width}×${size.height}`, async () => {
        const { value, isInView } = await page.target.evaluate(field);
        return value === text && isInView;
      });
    }
  });
}

/** The last thing of the status line that can be seen, and how wide it is. */
function lastSaid() {
  const line = document.querySelector("header p:has(svg)");
  const end = line?.getBoundingClientRect().bottom ?? 0;
  const all = [...(line?.children ?? [])].map((one) => ({
    text: one.textContent ?? "",
    ...{ width: one.getBoundingClientRect().width, top: one.getBoundingClientRect().top },
  }));
  return all.findLast(({ width, top }) => width > 0 && top < end - 1) ?? null;
}

async function away(): Promise<readonly string[]> {
  return onStage(async (stage) => {
    const { id } = await stage.world.create("/say hello");
    const page = await stage.enter(id);
    await page.sees(said.done);
    await stage.world.kill();
    await page.sees(said.hostAway);
    await page.seesNo(said.kept);
    const last = await page.target.evaluate(lastSaid);
    assert.ok(
      last !== null && last.width > 40,
      `the status line ends with ${JSON.stringify(last)}`,
    );
    await page.write("for later");
    await page.sees(said.kept);
  });
}

export const phones: Suite = {
  name: "phone",
  async run({ test, short }) {
    if (short) return;
    await test("on its side, composer and banner reach the edge of the screen", toTheEdge);
    await test("what is typed into New session stays in sight when the phone is turned", turned);
    await test(
      "while the host is away, only what was written is called saved, and the status line ends with a word",
      away,
    );
  },
};
