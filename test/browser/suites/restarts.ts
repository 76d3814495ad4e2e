/** Hosts and agents that end under an open page, and what opening a page does about it. */

import assert from "node:assert/strict";
import type { Suite } from "../../long/suite.ts";
import { kill } from "../../rounds/worlds.ts";
import { kinds } from "../../story/world.ts";
import { onStage, type Stage, type StageOptions } from "../hosts.ts";
import { messagesOf, numbersIn, soundJournal, upTo } from "../journal.ts";
import { until } from "../until.ts";
import { buttons, regions, said } from "../words.ts";
import { reachedAt } from "./decisions.ts";

const COUNT = 100;

/** The count's numbers before the splice and after it. */
function aroundSplice(): number[] {
  const rows = [...document.querySelectorAll("[role=log] .row")];
  const at = rows.findIndex((row) => row.querySelector(".splice") !== null);
  const counted = (some: Element[]) =>
    some.flatMap((row) => row.textContent?.match(/<\d+>/g) ?? []).length;
  return [counted(rows.slice(0, at)), counted(rows.slice(at + 1))];
}

/** The whole count is one paragraph: the splice stands inside it, where the host was killed. */
async function spliced(): Promise<readonly string[]> {
  return onStage(async (stage) => {
    const { world } = stage;
    const { id } = await world.create("/slow=40 /count=5000");
    const page = await stage.enter(id);
    await page.counts(5);
    await world.kill();
    await page.sees(said.hostAway);
    const shown = (await page.counted()).length;
    await world.start();
    await page.counts(shown + 10);
    await page.press(buttons.stop);
    await page.sees(said.cancelled);
    const events = await soundJournal(world, id);
    const receipt = events.findIndex(({ kind }) => kind === "receipt.issued");
    const before = numbersIn(events.slice(0, receipt)).length;
    const after = numbersIn(events).length - before;
    assert.ok(before >= 5 && after > 0, `${before} before the restart, ${after} after it`);
    assert.deepEqual(await page.target.evaluate(aroundSplice), [before, after]);
  });
}

async function hostKilled(): Promise<readonly string[]> {
  return onStage(async (stage) => {
    const { world } = stage;
    const { id } = await world.create(`/slow=40 /count=${COUNT}`);
    const page = await stage.enter(id);
    await page.counts(5);
    await world.kill();
    await page.sees(said.hostAway);
    assert.equal(await page.interruptions(), 0, "a loss of transport interrupts nobody");
    await world.start();
    await page.counts(COUNT);
    await page.sees(said.done);
    await page.seesNo(said.hostAway);
    assert.deepEqual(await page.counted(), upTo(COUNT));
    assert.deepEqual(numbersIn(await soundJournal(world, id)), upTo(COUNT));
    assert.equal(page.loads, 1);
    assert.equal(await page.interruptions(), 0);
  });
}

/** A session whose host, holder and agent were killed, after the host's restart. */
export async function interrupted({ world }: Stage): Promise<string> {
  const { id } = await world.create("/slow=40 /count=1000");
  await world.until(id, (event) => event.kind === "text.appended");
  const { holder, agent } = world.pids();
  await world.kill();
  for (const pid of [holder, agent]) if (pid !== null) kill(pid);
  await world.start();
  await world.untilKind(id, "run.interrupted");
  return id;
}

/** Waits until the host calls the agent gone: an agent that just ended may be about to return. */
async function atRest({ world }: Stage, id: string): Promise<void> {
  const params = { sessionId: id };
  await until("rest", async () => {
    const { needsResume, runtime } = await world.client.call("getStatus", { params });
    return needsResume && runtime.state === "none";
  });
}

export async function banner(options: StageOptions = {}): Promise<readonly string[]> {
  return onStage(async (stage) => {
    const { world, wire } = stage;
    const id = await interrupted(stage);
    await atRest(stage, id);
    const page = await stage.enter(id);
    await page.seesRegion(regions.interrupted);
    await page.sees(said.interrupted);
    await reachedAt(page, regions.interrupted, regions.banner);
    await page.until("its agent", async () => (await world.session(id)).runtime.state === "live");
    assert.ok(wire.count("GET", /\/status$/) > 0, "it asks how it stands");
    assert.equal(wire.count("POST", /\/resume$/), 1, "and revives it, once");
    const before = await soundJournal(world, id);
    assert.equal(kinds(before, "run.started").length, 1, "nobody told it to go on");
    const shown = (await page.counted()).length;
    await page.press(buttons.proceed);
    await page.seesNoRegion(regions.interrupted);
    await world.until(id, (event) => event.kind === "run.started" && event.continues !== undefined);
    await page.sees(said.generating);
    await page.counts(shown + 1);
    await page.press(buttons.stop);
    await page.sees(said.cancelled);
    assert.equal(kinds(await soundJournal(world, id), "run.started").length, 2);
  }, options);
}

async function dismissed(): Promise<readonly string[]> {
  return onStage(async (stage) => {
    const { world } = stage;
    const id = await interrupted(stage);
    const page = await stage.enter(id);
    await page.seesRegion(regions.interrupted);
    await page.press(buttons.dismiss);
    await page.seesNoRegion(regions.interrupted);
    await page.reload();
    await page.sees("<1>");
    await page.seesNoRegion(regions.interrupted);
    await page.write("/say still of use");
    await page.press(buttons.send);
    await page.sees(said.done);
    const events = await soundJournal(world, id);
    assert.equal(kinds(events, "run.dismissed").length, 1);
    assert.equal(messagesOf(events).length, 2);
  });
}

export async function revived(options: StageOptions = {}): Promise<readonly string[]> {
  return onStage(async (stage) => {
    const { world, wire } = stage;
    const { id } = await world.create("/say hello", { policy: { onOpen: "revive" } });
    await world.untilKind(id, "run.completed");
    await world.client.call("pauseSession", { params: { sessionId: id }, body: {} });
    const byDefault = (await world.create("/say finished")).id;
    await world.untilKind(byDefault, "run.completed");
    await world.client.call("pauseSession", { params: { sessionId: byDefault }, body: {} });
    await atRest(stage, id);
    const device = await stage.browser.newDevice();
    // The list revives no session; only opening one does.
    const first = await stage.enter(null, { device });
    assert.equal(wire.count("POST", /\/resume$/), 0);
    // Finished work is only read, unless its policy says otherwise.
    await first.open(`/s/${byDefault}`);
    await first.sees("finished");
    await first.until("a look", async () => wire.count("GET", /\/status$/) > 0);
    assert.equal(wire.count("POST", /\/resume$/), 0);
    const letGo = wire.hold(/^POST \S+\/resume /);
    await first.open(`/s/${id}`);
    await first.until("a resume", async () => wire.count("POST", /\/resume$/) > 0);
    // While the first resume runs, a second tab has time to ask for another.
    const second = await stage.page({ device });
    await second.open(`/s/${id}`);
    await second.sees("hello");
    await second.target.evaluate(async () => void (await fetch("/health")));
    letGo();
    await second.until("its agent", async () => (await world.session(id)).runtime.state === "live");
    assert.equal(wire.count("POST", /\/resume$/), 1);
    const events = await soundJournal(world, id);
    assert.equal(kinds(events, "session.resumed").length, 1);
    assert.equal(kinds(events, "run.started").length, 1, "the model acts only when it is asked to");
  }, options);
}

/** A session paused because it was idle, as after a night; only the time is shortened. */
async function idled(): Promise<readonly string[]> {
  return onStage(async (stage) => {
    const { world } = stage;
    const { id } = await world.create("/say good night", {
      policy: { idlePause: 1000, onOpen: "revive" },
    });
    await world.untilKind(id, "session.paused");
    await atRest(stage, id);
    const page = await stage.enter(id);
    await page.sees("good night");
    await page.until("its agent", async () => (await world.session(id)).runtime.state === "live");
    await page.write("/say good morning");
    await page.press(buttons.send);
    await page.sees(new RegExp(`good morning\\s+${said.done}`));
    const events = await soundJournal(world, id);
    assert.equal(messagesOf(events).length, 2);
    assert.equal(kinds(events, "run.completed").length, 2);
  });
}

export const restarts: Suite = {
  name: "restarts",
  async run({ test, short }) {
    await test(
      "a host killed with -9 and started again under a page: the run continues, the page says so in a word, without dialogs [U25] [U9]",
      hostKilled,
    );
    if (short) return;
    await test(
      "the splice of a restart in mid-sentence stands between the words from before and after it",
      spliced,
    );
    await test(
      "opening an interrupted session asks once, revives once, and continues only when it is told to [R000-39] [R000-40] [R004-6] [R004-7]",
      banner,
    );
    await test(
      "a dismissed interruption stays dismissed, and the session can be used [R000-41]",
      dismissed,
    );
    await test("a session that was paused for being idle is revived from the phone [U12]", idled);
    await test("two tabs that open a paused session revive it once [R004-6] [R004-7]", revived);
  },
};
