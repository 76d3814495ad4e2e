/** Large and foreign agent output: the page shows it and stays usable. */

import assert from "node:assert/strict";
import type { Suite } from "../../long/suite.ts";
import { addParrot, onStage, type Stage } from "../hosts.ts";
import { desk } from "../page.ts";
import { buttons, places, said, tabs } from "../words.ts";

/** A session whose agent sends `updates`, and keeps working when `hold` is set. */
async function parrotSession(
  { world }: Stage,
  said: { readonly updates: readonly object[]; readonly hold?: boolean },
): Promise<string> {
  const body = { agent: "parrot", message: JSON.stringify(said) };
  const { session } = await world.client.call("createSession", { body });
  return session.id;
}

const words = (text: string) => ({
  sessionUpdate: "agent_message_chunk",
  content: { type: "text", text },
});

/** 27 paragraphs of 19 KB of unclosed emphasis. */
async function emphasis(): Promise<readonly string[]> {
  return onStage(async (stage) => {
    await addParrot(stage.world);
    const units = ["**a ", "_a ", "~a ", "*a ", "int *p; "];
    const paragraphs = Array.from({ length: 27 }, (_, n) => {
      const unit = units[n % units.length] ?? "";
      return `${unit.repeat(Math.floor(19_000 / unit.length))}x${unit.trim()}\n\n`;
    });
    const updates = [...paragraphs, "The end of it."].map(words);
    const id = await parrotSession(stage, { updates, hold: true });
    const page = await stage.enter(id, { size: desk });
    await page.sees("The end of it.");
    await page.press(buttons.stop);
    await page.sees(said.cancelled);
  });
}

const paragraphs = (from: number, to: number) =>
  Array.from(
    { length: to - from },
    (_, n) => `Paragraph ${from + n}. ${"It has words enough for a few lines. ".repeat(5)}\n\n`,
  ).join("");

/** Wider than a phone, and so is its file name alone. */
const longPath =
  "packages/server/src/integrations/the-name-of-a-file-that-is-wider-than-the-screen-of-a-phone.long.ts";

/** One changed line in a file of 420 lines: ACP sends both texts whole. */
const longEdit = (toolCallId: string) => {
  const text = (word: string) =>
    Array.from({ length: 420 }, (_, n) =>
      n === 200 ? word : `  line ${n} of a file that is a bit long`,
    ).join("\n");
  return {
    sessionUpdate: "tool_call",
    toolCallId,
    kind: "edit",
    title: `Edit ${longPath}`,
    status: "completed",
    rawInput: { file_path: longPath },
    content: [{ type: "diff", path: longPath, oldText: text("old"), newText: text("new") }],
  };
};

/** A PNG of 8 × 8 pixels. */
const dot =
  "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEUlEQVR42mMwmJCAFTEMLQkAFmxIAWPdAfUAAAAASUVORK5CYII=";

const columns = Array.from({ length: 14 }, (_, n) => n);
const wideTable = [
  `| ${columns.map((n) => `Column ${n}`).join(" | ")} |`,
  `| ${columns.map(() => "---").join(" | ")} |`,
  `| ${columns.map((n) => `Medium value ${n}`).join(" | ")} |`,
].join("\n");

/** Positions of the transcript's parts on the screen. */
function seen() {
  const log = document.querySelector("[role=log]");
  const table = log?.querySelector("table");
  const arabic = [...(log?.querySelectorAll("p") ?? [])].find(({ textContent }) =>
    textContent?.includes("مرحبا"),
  );
  return {
    tableScrolls:
      table?.parentElement != null &&
      table.parentElement.scrollWidth > table.parentElement.clientWidth,
    rowHeight: table?.querySelector("td")?.getBoundingClientRect().height ?? 0,
    direction: arabic === undefined ? "" : getComputedStyle(arabic).direction,
  };
}

/** The characters of a path in a panel that are not on the screen: cut off or covered. */
function hiddenIn(panel: string, path: string): string[] {
  const row = [...document.querySelectorAll(`${panel} button`)].find((one) =>
    one.textContent?.includes(path),
  );
  if (row === undefined) return [path];
  const texts = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  const hidden: string[] = [];
  for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
    for (const [at, letter] of [...(text.textContent ?? "")].entries()) {
      range.setStart(text, at);
      range.setEnd(text, at + 1);
      const { left, right, top, bottom } = range.getBoundingClientRect();
      const hit = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
      if (right > innerWidth || hit !== text.parentElement) hidden.push(letter);
    }
  }
  return hidden;
}

async function foreignThings(): Promise<readonly string[]> {
  return onStage(async (stage) => {
    await addParrot(stage.world);
    const picture = { type: "image", data: dot, mimeType: "image/png" };
    const screenshot = { sessionUpdate: "tool_call", toolCallId: "shot", title: "Screenshot" };
    const make = {
      sessionUpdate: "tool_call",
      toolCallId: "make",
      kind: "execute",
      title: "make fetch",
      status: "completed",
      rawInput: { command: "make fetch" },
    };
    const bar = Array.from({ length: 50 }, (_, n) => `\rfetching ${n} %`).join("");
    const progress = `begin\n${bar}\r\u001b[2Kfetched \u001b[32mall\u001b[0m of it\nend\n`;
    const updates = [
      longEdit("edit"),
      { ...make, content: [{ type: "content", content: { type: "text", text: progress } }] },
      { ...screenshot, status: "completed", content: [{ type: "content", content: picture }] },
      words(`${wideTable}\n\nمرحبا بالعالم، هذا نص عربي.\n\nThe end of it.`),
    ];
    const id = await parrotSession(stage, { updates });
    const page = await stage.enter(id);
    await page.sees("The end of it.");
    await page.sees("+1 −1");
    await page.sees(/\+\s*new/);
    assert.doesNotMatch(await page.transcript(), /content too long to show here/);
    const { tableScrolls, rowHeight, direction } = await page.target.evaluate(seen);
    assert.ok(tableScrolls, "a table of 14 columns does not scroll");
    assert.ok(rowHeight > 0 && rowHeight < 120, `a row of the table is ${rowHeight} px high`);
    assert.equal(direction, "rtl");
    await page.until("the picture of a tool", () =>
      page.target.evaluate(() => {
        const found = document.querySelector<HTMLImageElement>("[role=log] img");
        return found?.complete === true && found.naturalWidth === 8;
      }),
    );
    await page.pressInTranscript("make fetch");
    await page.sees("fetched all of it");
    await page.sees("Show control characters");
    assert.doesNotMatch(await page.transcript(), /fetching 7 %\s*␍|␛/);
    // Without a repository the changes come from the agent's diffs.
    await page.press(buttons.side);
    await page.sees(/long\.ts/);
    await page.sees("+1 −1");
    assert.deepEqual(await page.target.evaluate(hiddenIn, "#side-panel", longPath), []);
  });
}

/** The first paragraph that starts on the screen, and the position of the tool's row. */
function placeOf(name: string): { paragraph: number; top: number } {
  const log = document.querySelector("[role=log]");
  const edge = log?.getBoundingClientRect().top ?? 0;
  const all = [...(log?.querySelectorAll(".prose > p") ?? [])];
  const first = all.find((one) => one.getBoundingClientRect().bottom > edge + 1);
  const tool = [...(log?.querySelectorAll("button[aria-expanded]") ?? [])].find(({ textContent }) =>
    textContent?.includes(name),
  );
  return {
    paragraph: Number(/Paragraph (\d+)/.exec(first?.textContent ?? "")?.[1] ?? -1),
    top: tool === undefined ? -1 : tool.getBoundingClientRect().top - edge,
  };
}

async function readingPlace(): Promise<readonly string[]> {
  return onStage(async (stage) => {
    await addParrot(stage.world);
    const call = {
      sessionUpdate: "tool_call",
      toolCallId: "t",
      kind: "execute",
      title: "make all",
      status: "completed",
      rawInput: { command: "make all" },
      content: [
        { type: "content", content: { type: "text", text: "a line of output\n".repeat(60) } },
      ],
    };
    const updates = [words(paragraphs(0, 60)), call, words("The end of it.")];
    const id = await parrotSession(stage, { updates });
    const page = await stage.enter(id);
    await page.sees("The end of it.");
    const place = () => page.target.evaluate(placeOf, "make all");

    const { top } = await place();
    await page.pressInTranscript("make all");
    await page.sees("Result");
    // It may move up to show more of its output, but not out of view.
    await page.settled();
    const opened = await place();
    const isInView = opened.top > -1 && opened.top < top + 40;
    assert.ok(isInView, `opened, it went from ${top} to ${opened.top}`);

    await page.wheel(-6000);
    await page.until("a place in the middle", async () => {
      const { paragraph } = await place();
      return paragraph > 2 && paragraph < 50;
    });
    await page.settled();
    const { paragraph } = await place();
    const isThere = async () => Math.abs((await place()).paragraph - paragraph) <= 1;
    await page.reload();
    await page.until(`paragraph ${paragraph} after a reload`, isThere);
    // Left as soon as the position is back, while it may still be corrected.
    for (let visit = 0; visit < 6; visit++) {
      await page.press(buttons.back);
      await page.openSession(id);
      await page.until(`paragraph ${paragraph} after the list`, isThere);
    }
    await page.resize({ width: 844, height: 390 });
    await page.until(`paragraph ${paragraph} on its side`, isThere);
    await page.resize({ width: 390, height: 844 });
    await page.until(`paragraph ${paragraph} upright again`, isThere);
  });
}

function isFirstInSight(): boolean {
  const log = document.querySelector("[role=log]");
  const box = log?.getBoundingClientRect();
  const first = [...(log?.querySelectorAll(".prose > p") ?? [])].find(
    ({ textContent }) => textContent === "the first answer",
  );
  const top = first?.getBoundingClientRect().top ?? -1;
  return box !== undefined && box.height > 0 && top >= box.top && top < box.bottom;
}

/** Two runs, the second with many events, all on the timeline of a phone. */
async function history(): Promise<readonly string[]> {
  return onStage(async (stage) => {
    const { id } = await stage.world.create("/say the first answer");
    await stage.world.until(id, ({ kind }) => kind === "run.completed");
    const page = await stage.enter(id);
    await page.sees(/Done · \d/);
    await page.write("/slow=5 /count=800");
    await page.press(buttons.send);
    await page.counts(5);
    const asked: string[] = [];
    page.target.on<{ request: { url: string } }>("Network.requestWillBeSent", ({ request }) => {
      if (/\/events\?/.test(request.url)) asked.push(request.url);
    });
    await page.press(buttons.side);
    await page.press(tabs.timeline);
    await page.until("the end on the timeline", async () => {
      const knots = await page.target.evaluate(
        () => document.querySelectorAll(".timeline li").length,
      );
      const ends = (await page.text()).match(/^done$/gm)?.length ?? 0;
      return knots >= 4 && ends === 2;
    });
    assert.ok(asked.length <= 3, `it asked ${asked.length} times for events`);
    await page.pressInTimeline("/say the first answer");
    await page.until("the first answer on the screen", () => page.target.evaluate(isFirstInSight));
    assert.match(await page.transcript(), /the first answer\s+Done · \d/);
  });
}

/** Buttons that are too low for a finger, and the drawn parts of the line and the buttons. */
function targets() {
  const buttons = [...document.querySelectorAll<HTMLElement>("button")].filter(
    (one) => one.checkVisibility() && one.getBoundingClientRect().width > 1,
  );
  const row = document.querySelector("[role=log] .row");
  const line = row === null ? null : getComputedStyle(row, "::before");
  return {
    low: buttons
      .filter((one) => one.getBoundingClientRect().height < 44)
      .map((one) => one.getAttribute("aria-label") ?? one.innerText),
    line: line?.backgroundColor ?? "",
    ground: getComputedStyle(document.documentElement).backgroundColor,
  };
}

/**
 * Words in the colour of what is behind them. With forced colours that is Canvas, which the browser
 * paints behind all text, unless an element keeps its own colours.
 */
function unreadable(): string[] {
  const probe = document.createElement("i");
  probe.style.color = "Canvas";
  document.body.append(probe);
  const canvas = getComputedStyle(probe).color;
  probe.remove();
  const hasWords = (one: Element) =>
    [...one.childNodes].some((node) => node.nodeType === 3 && node.textContent?.trim() !== "");
  return [...document.body.querySelectorAll("*")]
    .filter((one) => hasWords(one) && one.checkVisibility())
    .filter((one) => {
      const look = getComputedStyle(one);
      const isOwn = look.getPropertyValue("forced-color-adjust") === "none";
      return look.color === (isOwn ? look.backgroundColor : canvas);
    })
    .map((one) => one.textContent ?? "");
}

async function touchAndColours(): Promise<readonly string[]> {
  return onStage(async (stage) => {
    const { id } = await stage.world.create("/say hello");
    const page = await stage.enter(id, { size: { width: 820, height: 1180 } });
    const touch = { enabled: true, maxTouchPoints: 1 };
    await page.target.send("Emulation.setTouchEmulationEnabled", touch);
    await page.reload();
    await page.sees(said.done);
    await page.seesNo("Enter sends");
    const { low } = await page.target.evaluate(targets);
    assert.deepEqual(low, []);
    const features = [{ name: "forced-colors", value: "active" }];
    await page.target.send("Emulation.setEmulatedMedia", { features });
    const { line, ground } = await page.target.evaluate(targets);
    assert.notEqual(line, "rgba(0, 0, 0, 0)");
    assert.notEqual(line, ground, "the line has the colour of what is behind it");
    await page.open(places.settings);
    await page.sees(buttons.signOut);
    assert.deepEqual(await page.target.evaluate(unreadable), []);
  });
}

export const big: Suite = {
  name: "big",
  async run({ test, short }) {
    await test(
      "a session with 500 KB of emphasis marks opens, and its run is stopped on the page [P41] [S15]",
      emphasis,
    );
    await test(
      "a 35 KB edit is a diff with its whole path, a picture and a progress bar are shown, a table of 14 columns scrolls, Arabic reads from the right",
      foreignThings,
    );
    if (short) return;
    await test(
      "an opened row stays in view, and the reading position survives a reload, the list and a turn of the phone",
      readingPlace,
    );
    await test(
      "the timeline of a phone has every knot, follows the socket and leads to an earlier run, which has its figures",
      history,
    );
    await test(
      "on a tablet every button is high enough for a finger, and forced colours keep the line and all words visible",
      touchAndColours,
    );
  },
};
