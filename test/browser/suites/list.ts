/** The list of sessions, and the page on a phone that reaches the host by a name in its network. */

import assert from "node:assert/strict";
import type { Suite } from "../../long/suite.ts";
import { onStage } from "../hosts.ts";
import { messagesOf, soundJournal } from "../journal.ts";
import { buttons, groups, regions, said, tabTitle } from "../words.ts";

async function live(): Promise<readonly string[]> {
  return onStage(async (stage) => {
    const { world, wire } = stage;
    const page = await stage.enter(null);
    await page.sees(said.firstVisit);
    const heard: string[] = [];
    wire.change = (text) => {
      const { type } = JSON.parse(text) as { type: string };
      if (type === "session") heard.push(text);
      return text;
    };
    const { id } = await world.create("/slow=20 /count=50 /ask", { title: "A live one" });
    await page.sees("A live one");
    await page.inGroup(groups.working, "A live one");
    await page.inGroup(groups.needsYou, "A live one");
    assert.equal(await page.target.evaluate(() => document.title), tabTitle(1));
    const [approval] = (await soundJournal(world, id)).filter(
      (event) => event.kind === "approval.requested",
    );
    if (approval?.kind !== "approval.requested") throw new Error("It did not ask.");
    const { runId, approvalId } = approval;
    const body = { decision: "deny" } as const;
    await world.client.call("decideApproval", { params: { runId, approvalId }, body });
    await page.inGroup(groups.done, "A live one");
    await world.client.call("updateSession", {
      params: { sessionId: id },
      body: { title: "Another name" },
    });
    await page.sees("Another name");
    assert.ok(heard.length >= 4, "the changes did not come over the WebSocket");
    assert.equal(page.loads, 1);
  });
}

/** The page over plain HTTP, without the features that browsers reserve for secure pages. */
async function plainHttp(): Promise<readonly string[]> {
  return onStage(async (stage) => {
    const { world } = stage;
    const { id } = await world.create("/ask /say thanks");
    const page = await stage.enter(null, { name: "phone.test" });
    assert.equal(await page.target.evaluate(() => isSecureContext), false);
    await page.sees(said.plainHttp);
    assert.match((await page.region(regions.plainHttp)) ?? "", /notifications/i);
    await page.openSession(id);
    await page.answer(buttons.allow);
    await page.sees(said.done);
    await page.write("/say over plain http");
    await page.press(buttons.send);
    await page.sees(new RegExp(`over plain http\\s+${said.done}`));
    assert.equal(messagesOf(await soundJournal(world, id)).length, 2);
  });
}

export const list: Suite = {
  name: "list",
  async run({ test, short }) {
    if (short) return;
    await test("the list updates live, over the WebSocket [R004-49]", live);
    await test(
      "a phone on plain http can do everything, and learns which features are missing",
      plainHttp,
    );
  },
};
