/** Text from others stays text wherever it is shown, and never runs. */

import assert from "node:assert/strict";
import { isRaw } from "../../../packages/cli/test/hostile.ts";
import type { Context, Suite } from "../../long/suite.ts";
import type { World } from "../../story/world.ts";
import { addParrot, onStage, type Stage, type StageOptions } from "../hosts.ts";
import { soundJournal } from "../journal.ts";
import { desk, type Page } from "../page.ts";
import { payloads } from "../payloads.ts";
import { buttons, places, regions, tabs } from "../words.ts";

const BATCH = 12;
/** Maximum length of a title and of a device's name. */
const TITLE = 200;
/** As many devices as a host allows, minus those already signed in. */
const DEVICES = 190;
/** Longer than any text that is shown in one line. */
const LINE = 4000;

/**
 * One payload in every field of an agent's updates; complete in the fields that hold long texts.
 */
function updatesOf(payload: string, n: number): object[] {
  const text = { type: "text", text: payload };
  const words = payload.slice(0, LINE);
  const id = `${n} ${payload.slice(0, 100)}`;
  return [
    { sessionUpdate: "agent_thought_chunk", content: text },
    { sessionUpdate: "agent_message_chunk", content: { ...text, text: `\n\n${payload}\n\n` } },
    { sessionUpdate: "plan", entries: [{ content: words, priority: "high", status: "pending" }] },
    {
      sessionUpdate: "tool_call",
      toolCallId: id,
      title: words,
      kind: "edit",
      rawInput: { command: words, path: words, [payload.slice(0, 50)]: words },
    },
    {
      sessionUpdate: "tool_call_update",
      toolCallId: id,
      status: "completed",
      content: [
        { type: "content", content: text },
        { type: "diff", path: payload.slice(0, 500), oldText: "a", newText: payload },
      ],
    },
    {
      sessionUpdate: "tool_call",
      toolCallId: `open ${id}`,
      title: words,
      kind: "execute",
      status: "in_progress",
      rawInput: words,
      content: [{ type: "content", content: { ...text, text: words } }],
    },
    { sessionUpdate: payload.slice(0, 50), message: words },
  ];
}

const questionOf = (payload: string, n: number) => ({
  toolCallId: `q ${n} ${payload.slice(0, 100)}`,
  title: payload.slice(0, LINE),
  rawInput: { command: payload.slice(0, LINE) },
});

const titleOf = (payload: string) => payload.trim().slice(0, TITLE).toWellFormed() || "x";

/** A session that shows all payloads; its questions are answered on the page. */
async function shownSession(
  { world }: Stage,
  page: Page,
  batch: readonly string[],
): Promise<string> {
  const message = JSON.stringify({
    updates: batch.flatMap(updatesOf),
    questions: batch.map(questionOf),
    error: batch[0]?.slice(0, LINE),
  });
  const body = { agent: "parrot", title: titleOf(batch[0] ?? ""), message };
  const { session, run } = await world.client.call("createSession", { body });
  const queued = { params: { sessionId: session.id }, body: { content: batch.at(-1) ?? "" } };
  await page.open(`/s/${session.id}`);
  for (let asked = 0; asked < batch.length; asked++) {
    await page.seesRegion(regions.decision);
    if (asked === 0 && /\S/.test(queued.body.content)) {
      await world.client.call("sendMessage", queued);
    }
    const [approval] = await openQuestions(world, session.id);
    if (approval === undefined) break;
    const params = { runId: run?.id ?? "", approvalId: approval };
    const reason = (batch[asked] ?? "").slice(0, 1000);
    await world.client.call("decideApproval", { params, body: { decision: "deny", reason } });
    await page.until("the next question", async () => {
      const [next] = await openQuestions(world, session.id);
      return next !== approval;
    });
  }
  return session.id;
}

async function openQuestions(world: World, id: string): Promise<string[]> {
  const events = await world.events(id);
  const decided = new Set(
    events.flatMap((event) => (event.kind === "approval.decided" ? event.approvalId : [])),
  );
  return events.flatMap((event) =>
    event.kind === "approval.requested" && !decided.has(event.approvalId) ? event.approvalId : [],
  );
}

/** Elements on the page that only injected markup could have created. */
function foreignOnPage(): string[] {
  const forbidden =
    "iframe, object, embed, applet, img, image, video, audio, source, track, base, meta:not(head meta), link:not(head link), style:not(head style), script:not(head script), math, foreignObject, animate, form[action], [formaction], [ping], [srcdoc], [background]";
  const found = [...document.querySelectorAll(forbidden)].map((one) => one.outerHTML);
  for (const one of document.querySelectorAll("*")) {
    const handler = one.getAttributeNames().find((name) => name.startsWith("on"));
    if (handler !== undefined) found.push(`${handler} of ${one.tagName}`);
  }
  for (const link of document.querySelectorAll<HTMLAnchorElement>("a")) {
    const isOwn = link.getAttribute("href")?.startsWith("/s/") === true;
    const isOut = ["http:", "https:", "mailto:"].includes(link.protocol);
    const isApart = link.target === "_blank" && link.rel.includes("noopener");
    if (!isOwn && !(isOut && isApart)) found.push(`a link to ${link.href}`);
  }
  return found.map((text) => text.slice(0, 200));
}

/** Scrolls from the first row to the last, opens each row, and checks it. */
async function lookThrough(page: Page): Promise<void> {
  await page.toTop();
  for (let isEnd = false; !isEnd; ) {
    await page.openAll();
    assert.deepEqual(await page.target.evaluate(foreignOnPage), []);
    const raw = (await page.text()).split(/\n|\t/).find(isRaw);
    assert.equal(raw, undefined, "letters that are not seen, or reorder others, are on the page");
    isEnd = await page.pageDown();
  }
}

export async function everywhere(
  { progress }: Pick<Context, "progress">,
  all: readonly string[],
  options: StageOptions = {},
): Promise<readonly string[]> {
  return onStage(async (stage) => {
    const { world } = stage;
    await addParrot(world);
    const page = await stage.enter(null, { size: desk });
    for (let from = 0; from < all.length; from += BATCH) {
      const id = await shownSession(stage, page, all.slice(from, from + BATCH));
      await world.until(id, ({ kind }) => kind === "run.failed");
      await lookThrough(page);
      await soundJournal(world, id);
      progress(from, all.length);
    }
    await page.press(buttons.side);
    for (const tab of Object.values(tabs)) {
      await page.press(tab);
      assert.deepEqual(await page.target.evaluate(foreignOnPage), [], tab);
    }
    for (const payload of all) {
      await world.create(undefined, { agent: "parrot", title: titleOf(payload) });
    }
    for (const payload of all.slice(0, DEVICES)) {
      const { code } = await world.client.call("createLink", { body: {} });
      await world.client.call("login", { body: { code, name: titleOf(payload) } });
    }
    for (const place of Object.values(places)) {
      await page.open(place);
      await page.until("the page", async () => (await page.heading()) !== null);
      assert.deepEqual(await page.target.evaluate(foreignOnPage), [], place);
    }
  }, options);
}

/** Number of payloads, spread over the whole list. */
const SOME = BATCH;

export const inert: Suite = {
  name: "inert",
  async run(context) {
    const { short, test } = context;
    const step = Math.floor(payloads.length / SOME);
    const all = short ? payloads.filter((_, i) => i % step === 0).slice(0, SOME) : payloads;
    await test("hostile text in every field of every page: no script runs, the policy has no attempt to block, and requests go only to the host [P41] [S15]", () =>
      everywhere(context, all));
  },
};
