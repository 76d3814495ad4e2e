/**
 * Decisions that people can reach and read, at every size, of every kind, with the agent's own
 * options.
 */

import assert from "node:assert/strict";
import type { Suite } from "../../long/suite.ts";
import { withMoreAgents } from "../../rounds/worlds.ts";
import { onStage, type Stage, type StageOptions } from "../hosts.ts";
import { desk, type Page, phone } from "../page.ts";
import { buttons, groups, places, regions, tabs } from "../words.ts";

/**
 * A phone in landscape, a phone with its keyboard, a small phone; a desktop at 200 % and at 400 %.
 */
const sizes = [
  { width: 844, height: 390 },
  { width: 390, height: 500 },
  { width: 320, height: 568 },
  { width: 640, height: 400 },
  { width: 320, height: 256 },
] as const;

const usual = [
  { optionId: "yes", kind: "allow_once", name: "Allow" },
  { optionId: "ever", kind: "allow_always", name: "Always Allow" },
  { optionId: "no", kind: "reject_once", name: "Reject" },
];

const lines = Array.from({ length: 90 }, (_, n) => `echo "line ${n}" >> notes.txt`);
const script = `cat <<'EOF' > run.sh\n${lines.join("\n")}\nEOF`;

const asking = (toolCall: object, options: object[] = usual) =>
  JSON.stringify({ toolCall, options });

const command = (text: string) =>
  asking({ title: "Run", kind: "execute", rawInput: { command: text, cwd: "/srv/shop" } });

async function asked(stage: Stage, prompt: string): Promise<string> {
  const { id } = await stage.world.create(prompt, { agent: "asking" });
  await stage.world.untilKind(id, "approval.requested");
  return id;
}

export async function reachable(options: StageOptions = {}): Promise<readonly string[]> {
  return onStage(
    async (stage) => {
      const id = await asked(stage, command(script));
      const page = await stage.enter(id);
      await page.seesRegion(regions.decision);
      const queued = { params: { sessionId: id }, body: { content: "after this" } };
      await stage.world.client.call("sendMessage", queued);
      await page.sees("1 message waits for the run to end");
      await reachedAt(page, regions.decision, regions.request);
      await page.press(buttons.showQueue);
      await page.sees("after this");
      await editedOverReload(stage, page, id);
      await page.press(buttons.showQueue);
      await page.press(buttons.takeBack);
      await page.press(buttons.why);
      await reachedAt(page, regions.decision, regions.request);
      await page.press(buttons.leave);
      await page.answer(buttons.deny);
      await page.sees("I was told no.");
    },
    { ...withMoreAgents, ...options },
  );
}

/** Checks that an unsaved edit survives a reload and, when its message is taken back, stays. */
async function editedOverReload({ world }: Stage, page: Page, sessionId: string): Promise<void> {
  await page.press(buttons.change);
  await page.target.send("Input.insertText", { text: ", then that" });
  const isKept = async () => (await page.draft()) === "after this, then that";
  await page.until("the edit", isKept);
  await page.reload();
  await page.until("the edit after a reload", isKept);
  const { queue } = await world.client.call("getQueue", { params: { sessionId } });
  const messageId = queue[0]?.id ?? "none";
  await world.client.call("removeQueued", { params: { sessionId, messageId } });
  await page.sees("The message was taken back before you saved your change.");
  const next = { params: { sessionId }, body: { content: "and this" } };
  await world.client.call("sendMessage", next);
}

/**
 * Checks at each size that every answer of a region can be pressed and its text read to the end.
 */
export async function reachedAt(page: Page, region: string, text: string): Promise<void> {
  for (const size of sizes) {
    await page.resize(size);
    await page.until(`buttons in view at ${size.width}×${size.height}`, async () => {
      const missed = await page.unreachable(region);
      return missed.length === 0 && (await page.endsInSight(text));
    });
  }
  await page.resize(phone);
}

async function drawn(): Promise<readonly string[]> {
  return onStage(async (stage) => {
    const page = await stage.enter(await asked(stage, command(script)));
    await page.seesRegion(regions.decision);
    const shown = (await page.region(regions.request)) ?? "";
    assert.ok(shown.includes(lines.slice(0, 3).join("\n")), "a command is its lines");
    assert.match(shown, /in \/srv\/shop/);
    assert.match(shown, /Not isolated: the agent could do this without asking\./);
    assert.ok(!shown.includes('\\"line 0'), "and not JSON");
    const [stop, exact] = await boundsOf(page, [buttons.stop, buttons.exact]);
    assert.ok(stop && exact && stop.bottom <= exact.top, "a tap on one button hits the other");
    await page.press(buttons.exact);
    await page.sees('\\"line 0');
    await page.answer(buttons.always);
    await page.sees("I was told yes.");
    await revoked(page);

    await open(stage, page, {
      rawInput: { file_path: "/srv/shop/a.ts", old_string: "one\ntwo", new_string: "one\nthree" },
      title: "Edit",
      kind: "edit",
    });
    await page.until("a diff", async () =>
      /−\s*two\s*2?\s*\+\s*three/.test((await page.region(regions.request)) ?? ""),
    );
    await page.answer(buttons.always);
    await page.sees("I was told yes.");
    await ended(stage, page);

    const plan = {
      title: "Ready to code?",
      kind: "switch_mode",
      rawInput: { plan: "# Go\n\n- a" },
    };
    await open(stage, page, plan, [
      { optionId: "acceptEdits", kind: "allow_always", name: "Yes, and auto-accept edits" },
      { optionId: "default", kind: "allow_once", name: "Yes, and manually approve edits" },
      { optionId: "plan", kind: "reject_once", name: "No, keep planning" },
    ]);
    assert.equal(await tagOf(page, "a"), "LI");
    await page.answer("Yes, and auto-accept edits");
    await page.sees("I was told acceptEdits.");

    const questions = [{ question: "Which one?", options: [{ label: "SQLite" }] }];
    await open(stage, page, { title: "Ask", kind: "other", rawInput: { questions } }, [
      { optionId: "s", kind: "allow_once", name: "SQLite" },
      { optionId: "p", kind: "allow_once", name: "Postgres" },
    ]);
    await page.sees("Which one?");
    await page.answer("Postgres");
    await page.sees("I was told p.");
  }, withMoreAgents);
}

async function open(stage: Stage, page: Page, call: object, options?: object[]): Promise<void> {
  const id = await asked(stage, asking(call, options));
  await page.open(`/s/${id}`);
  await page.seesRegion(regions.decision);
}

/**
 * Checks that an "always" rule is listed in Details and disappears when it is revoked; also renames
 * the session there.
 */
async function revoked(page: Page): Promise<void> {
  await page.press(buttons.side);
  await page.press(tabs.details);
  await page.seesRegion(regions.rules);
  assert.match((await page.region(regions.rules)) ?? "", /Run cat <<'EOF'/);
  await page.press(buttons.revoke);
  await page.seesNoRegion(regions.rules);
  await page.press(buttons.rename);
  await page.target.evaluate((label) => {
    document.querySelector<HTMLInputElement>(`input[aria-label="${label}"]`)?.select();
  }, regions.name);
  await page.target.send("Input.insertText", { text: "Another name" });
  await page.press(buttons.save);
  await page.until("its new name", () =>
    page.target.evaluate(() => document.title.endsWith("Another name · Holdfast")),
  );
}

/** Checks that an ended session offers no actions that it would refuse. */
async function ended({ world }: Stage, page: Page): Promise<void> {
  await page.press(buttons.side);
  await page.press(tabs.details);
  await page.seesRegion(regions.rules);
  await page.sees(buttons.rename);
  const sessionId = await page.target.evaluate(() => location.pathname.split("/")[2] ?? "");
  await world.client.call("endSession", { params: { sessionId } });
  await page.sees("This session has ended");
  await page.seesNo(buttons.rename);
  await page.seesNoRegion(regions.rules);
}

/** The top and bottom of buttons, by their label or text. */
function boundsOf(page: Page, names: readonly string[]) {
  return page.target.evaluate(
    (wanted) =>
      wanted.map((name) => {
        const is = (one: Element) => [one.ariaLabel, one.textContent].includes(name);
        const found = [...document.querySelectorAll("button")].find(is);
        const { top = 0, bottom = 0 } = found?.getBoundingClientRect() ?? {};
        return { top, bottom };
      }),
    names,
  );
}

/** The element in the request whose own text is this. */
function tagOf(page: Page, text: string): Promise<string | undefined> {
  return page.target.evaluate(
    (label, wanted) =>
      [...document.querySelectorAll(`[aria-label="${label}"] *`)].find(
        (one) => one.children.length === 0 && one.textContent?.trim() === wanted,
      )?.tagName,
    regions.request,
    text,
  );
}

/** Creates two hundred newer sessions, and checks that the page is as high as its window. */
export async function first(options: StageOptions = {}): Promise<readonly string[]> {
  return onStage(async (stage) => {
    const { world } = stage;
    const waiting = await world.create("/ask", { title: "Waits for you" });
    const failed = await world.create("/fail", { title: "Could not go on" });
    await world.untilKind(waiting.id, "approval.requested");
    await world.untilKind(failed.id, "run.failed");
    for (let made = 0; made < 200; made += 20) {
      const some = Array.from({ length: 20 }, (_, n) =>
        world.create(undefined, { title: `Newer ${made + n}` }),
      );
      await Promise.all(some);
    }
    const page = await stage.enter(null, { size: desk });
    await page.inGroup(groups.needsYou, "Waits for you");
    await page.inGroup(groups.stopped, "Could not go on");
    await page.inGroup(groups.new, "Newer 199");
    const [top] = await page.target.evaluate(() =>
      [...document.querySelectorAll("nav section")].map((one) => one.getAttribute("aria-label")),
    );
    assert.equal(top, groups.needsYou);
    const title = () => page.target.evaluate(() => document.title);
    assert.equal(await title(), "(2) Holdfast");
    const high = await page.target.evaluate(() => [
      document.documentElement.scrollHeight,
      innerHeight,
    ]);
    assert.equal(high[0], high[1], "the page scrolls away");
    await page.open(`/s/${waiting.id}`);
    await page.until("its title", async () => (await title()) === "(2) Waits for you · Holdfast");
    await page.answer(buttons.allow);
    await page.until("one less", async () => (await title()) === "(1) Waits for you · Holdfast");
    await page.open(places.list);
    await page.inGroup(groups.done, "Waits for you");
  }, options);
}

export const decisions: Suite = {
  name: "decisions",
  async run({ test }) {
    await test(
      "the buttons of a decision can be reached at every size, and its text scrolls",
      reachable,
    );
    await test(
      "a command, an edit, a plan and a question are drawn as such, and the agent's own options reach it",
      drawn,
    );
    await test("sessions that need somebody come first, before newer ones", first);
  },
};
