/** The page on a phone: in landscape, with long questions, and while its host is offline. */

import assert from "node:assert/strict";
import type { Suite } from "../../long/suite.ts";
import { kill } from "../../rounds/worlds.ts";
import { addParrot, onStage, type Stage, type StageOptions } from "../hosts.ts";
import { type Page, phone } from "../page.ts";
import { buttons, regions, said } from "../words.ts";
import { interrupted } from "./restarts.ts";

const sideways = { width: 844, height: 390 };

/** The distance in pixels from the rightmost button of a region to the edge of the screen. */
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

/** The focused field: its text, and whether all of its lines are visible. */
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

/** Fills in a folder, then a first message, with the end of the form in view. */
function fill(path: string): void {
  const dialog = document.querySelector("[role=dialog]");
  const input = dialog?.querySelector<HTMLInputElement>("input:not([type=radio])");
  const text = dialog?.querySelector("textarea");
  if (input == null || text == null) throw new Error("New session is not open");
  input.focus();
  document.execCommand("insertText", false, path);
  text.focus();
  document.execCommand("insertText", false, "Say hello");
  text.form?.scrollIntoView({ block: "end" });
}

/** True when the words of a refusal are visible, not only read out by a screen reader. */
function isRefusalSeen(): boolean {
  const alert = document.querySelector("[role=dialog] [role=alert]");
  if (alert === null) return false;
  const { left, top, bottom } = alert.getBoundingClientRect();
  return [top + 2, bottom - 2].every((y) => document.elementFromPoint(left + 20, y) === alert);
}

/** True when New session is open and shows no refusal. */
function isRefusalGone(): boolean {
  const dialog = document.querySelector("[role=dialog]");
  return dialog !== null && dialog.querySelector("[role=alert]") === null;
}

async function refused(): Promise<readonly string[]> {
  return onStage(async (stage) => {
    const page = await stage.enter(null, { size: { width: 568, height: 320 } });
    await page.sees(said.firstVisit);
    await page.press(buttons.newSession);
    await page.until("a field", () =>
      page.target.evaluate(() => document.activeElement instanceof HTMLTextAreaElement),
    );
    await page.target.evaluate(fill, "/no/such/folder");
    await page.press(buttons.start);
    await page.until("the reason in sight", () => page.target.evaluate(isRefusalSeen));
    await page.target.evaluate(fill, "/another");
    await page.until("the form without the reason", () => page.target.evaluate(isRefusalGone));
  });
}

const asks = (why: string, toolCall: object) => {
  const said = { sessionUpdate: "agent_message_chunk", content: { type: "text", text: why } };
  return { updates: [said], questions: [{ toolCallId: "q", ...toolCall }] };
};

async function asked(stage: Stage, told: object): Promise<Page> {
  const body = { agent: "parrot", message: JSON.stringify(told) };
  const { session } = await stage.world.client.call("createSession", { body });
  const page = await stage.enter(session.id);
  await page.seesRegion(regions.decision);
  return page;
}

/** True when these words in the tray are fully visible: no element covers them. */
function isUncut(words: string): boolean {
  const all = [...document.querySelectorAll('[aria-label="What would run"] *')];
  const one = all.findLast((part) => part.textContent?.includes(words));
  const text = [...(one?.childNodes ?? [])].find((node) => node.textContent?.includes(words));
  if (one === undefined || text === undefined) return false;
  const range = document.createRange();
  const from = text.textContent?.indexOf(words) ?? 0;
  range.setStart(text, from);
  range.setEnd(text, from + words.length);
  return [...range.getClientRects()].every(({ left, right, top, bottom }) =>
    [top + 1, bottom - 1].every((y) => {
      const hit = document.elementFromPoint((left + right) / 2, y);
      return hit !== null && one.contains(hit);
    }),
  );
}

/** Reports whether the request is longer than its box, and whether its end fades. */
function fading(label: string) {
  const one = document.querySelector(`[aria-label="${label}"]`);
  if (one === null) return null;
  const isMore = one.scrollHeight - one.clientHeight - one.scrollTop > 1;
  return { isMore, fades: getComputedStyle(one).maskImage !== "none" };
}

const sizes = [phone, sideways, { width: 390, height: 500 }, { width: 320, height: 568 }];

const sentences = Array.from({ length: 12 }, (_, n) => `Sentence ${n} of a long reason.`);
const why = `${sentences.join(" ")} Therefore I publish.`;

async function readable(): Promise<readonly string[]> {
  return onStage(async (stage) => {
    await addParrot(stage.world);
    const command = Array.from({ length: 14 }, (_, n) => `echo line ${n}`).join("\n");
    const drawn = { title: "Run", kind: "execute", rawInput: { command } };
    const page = await asked(stage, asks(why, drawn));
    for (const size of sizes) {
      await page.resize(size);
      for (const words of [buttons.exact, "Therefore I publish."]) {
        await page.until(`"${words}" uncut at ${size.width}×${size.height}`, () =>
          page.target.evaluate(isUncut, words),
        );
      }
    }
    await page.press(buttons.exact);
    await page.sees('"command": "echo line 0\\n');

    const steps = Array.from({ length: 40 }, (_, n) => `step ${n}`);
    const other = await asked(stage, asks("Go.", { title: "Deploy", rawInput: { steps } }));
    for (const size of sizes) {
      await other.resize(size);
      await other.until(`a request that fades at ${size.width}×${size.height}`, async () => {
        const seen = await other.target.evaluate(fading, regions.request);
        return seen?.isMore === true && seen.fades;
      });
    }
    assert.ok(await other.endsInSight(regions.request));
    await other.until("an end that does not fade", async () => {
      const seen = await other.target.evaluate(fading, regions.request);
      return seen?.isMore === false && !seen.fades;
    });
  });
}

/** Records each change of the status line, the composer and the end of the transcript. */
function watchLooks(): void {
  const looks: string[] = [];
  Object.assign(globalThis, { looks });
  const look = () => {
    const form = document.querySelector<HTMLElement>("form:has(textarea)");
    const labels = [...(form?.querySelectorAll("button") ?? [])].map((one) => one.ariaLabel);
    const status = document.querySelector<HTMLElement>("header p:has(svg)")?.innerText;
    const isGenerating = document.querySelector("[role=log]")?.textContent?.includes("Generating…");
    const now = JSON.stringify([status, labels, form?.innerText, isGenerating]);
    if (looks.at(-1) !== now) looks.push(now);
  };
  const parts = { subtree: true, childList: true, characterData: true, attributes: true };
  new MutationObserver(look).observe(document.body, parts);
}

const ATTEMPTS = 4;

/** The page shows the same words through all its reconnect attempts. */
export async function steady(options: StageOptions = {}): Promise<readonly string[]> {
  return onStage(async (stage) => {
    const { id } = await stage.world.create("/slow=40 /count=1000");
    const page = await stage.enter(id);
    await page.counts(5);
    await page.target.evaluate(watchLooks);
    await stage.world.kill();
    await page.sees(said.hostAway);
    let attempts = 0;
    page.target.on("Network.webSocketCreated", () => {
      attempts += 1;
    });
    await page.until(`${ATTEMPTS} attempts`, async () => attempts >= ATTEMPTS);
    const looks = await page.target.evaluate(
      () => (globalThis as unknown as { looks: string[] }).looks,
    );
    const away = looks.slice(looks.findIndex((look) => look.includes(said.hostAway)));
    assert.equal(away.length, 1, `it went through ${away.join(" then ")}`);
  }, options);
}

/** True when the first words of the status line about the connection are in view. */
function isSeenInHeader(words: string): boolean {
  const all = [...document.querySelectorAll("header p span")];
  const one = all.findLast((part) => part.textContent === words);
  if (one === undefined) return false;
  const { left, top, bottom, width } = one.getBoundingClientRect();
  return width > 80 && document.elementFromPoint(left + 60, (top + bottom) / 2) === one;
}

async function away(): Promise<readonly string[]> {
  return onStage(async (stage) => {
    const { id } = await stage.world.create("/say hello");
    const page = await stage.enter(id);
    await page.sees(said.done);
    await stage.world.kill();
    await page.sees(said.hostAway);
    await page.seesNo(said.kept);
    await page.write("for later");
    await page.sees(said.kept);
  });
}

async function awayAndWaiting(): Promise<readonly string[]> {
  return onStage(async (stage) => {
    const { id } = await stage.world.create("/ask");
    const page = await stage.enter(id);
    await page.seesRegion(regions.decision);
    await stage.world.kill();
    await page.sees(said.hostAway);
    for (const width of [390, 360, 320]) {
      await page.resize({ ...phone, width });
      const seen = () => page.target.evaluate(isSeenInHeader, said.hostAway);
      await page.until(`the lost connection at ${width} px`, seen);
    }
  });
}

/** Presses a row of the transcript with these words. */
function openRow(words: string): void {
  const rows = [...document.querySelectorAll<HTMLElement>("[role=log] button[aria-expanded]")];
  rows.findLast(({ textContent }) => textContent?.includes(words))?.click();
}

/** True when the last line of the opened receipt is in view, and no element covers it. */
function isReceiptSeen(): boolean {
  const last = [...document.querySelectorAll("[role=log] dl dd")].at(-1);
  if (last === undefined) return false;
  const { left, right, bottom } = last.getBoundingClientRect();
  return [left + 4, (left + right) / 2, right - 4].every((x) => {
    const hit = document.elementFromPoint(x, bottom - 4);
    return hit !== null && last.contains(hit);
  });
}

async function receiptInSight(): Promise<readonly string[]> {
  return onStage(async (stage) => {
    const { world } = stage;
    const { id } = await world.create("/say hello");
    await world.untilKind(id, "run.completed");
    const { holder, agent } = world.pids();
    await world.kill();
    for (const pid of [holder, agent]) if (pid !== null) kill(pid);
    await world.start();
    await world.send(id, "/ask");
    const page = await stage.enter(id);
    await page.seesRegion(regions.decision);
    await page.sees(said.restarted);
    await page.target.evaluate(openRow, said.restarted);
    await page.until("the whole receipt", () => page.target.evaluate(isReceiptSeen));
  });
}

export const phones: Suite = {
  name: "phone",
  async run({ test, short }) {
    if (short) return;
    await test("on its side, composer and banner reach the edge of the screen", toTheEdge);
    await test("what is typed into New session stays in sight when the phone is turned", turned);
    await test(
      "on its side, a folder that New session refuses is said in sight until the form is changed",
      refused,
    );
    await test(
      "the last words before a question and the way to its exact input are uncut at every size, and a longer request fades",
      readable,
    );
    await test("while the host is away, nothing on the page changes with an attempt to reach it", () =>
      steady());
    await test("while the host is away, only what was written is called saved", away);
    await test("a receipt that is opened above a question comes into view whole", receiptInSight);
    await test(
      "a session that waits for an answer says that the host is away, at every width",
      awayAndWaiting,
    );
  },
};
