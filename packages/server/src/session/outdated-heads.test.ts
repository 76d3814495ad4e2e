import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type SessionId, wordOf } from "@holdfast/protocol";
import { expect, test } from "vitest";
import { wireHost } from "../host.ts";
import { openSqliteJournal } from "../journal/sqlite/open.ts";
import { putBackToFormatOne } from "../journal/sqlite/testing/format-one.ts";
import { ballastBytes } from "../journal/sqlite/testing/test-directory.ts";
import { done, failed, scriptedAgent, text } from "../testing/scripted-agent.ts";

const agents = [
  scriptedAgent("demo", ({ content }) =>
    content === "fail" ? [failed("broken", "It broke.")] : [text("ok"), done()],
  ),
];

test("a data directory of before lists its failed session first once its journals were read", async () => {
  const data = mkdtempSync(join(tmpdir(), "holdfast-heads-"));
  const open = async () =>
    wireHost({ data, agents, journal: await openSqliteJournal({ dir: data, ballastBytes }) });
  const before = await open();
  const ids: SessionId[] = [];
  for (const content of ["fail", "go", "go"]) {
    const { sessions } = before;
    const sessionId = sessions.newId("session");
    const input = { sessionId, tenant: "local", title: content, agentName: "demo" };
    await sessions.execute(sessionId, "create", input);
    await sessions.execute(sessionId, "prompt", { content });
    for await (const _ of sessions.follow(sessionId, 0)) {
      if ((await sessions.state(sessionId)).run?.outcome) break;
    }
    ids.push(sessionId);
  }
  await before.close();
  putBackToFormatOne(data);
  const after = await open();
  await after.headsCompleted;
  const { sessions, journal } = after;
  const listed = (await journal.list({ tenant: "local", limit: 1 })).sessions;
  expect(listed.map(({ session }) => session)).toEqual(ids.slice(0, 1));
  expect(await journal.needs("local")).toEqual({ waiting: 0, interrupted: 0, failed: 1 });
  expect(await journal.outdatedHeads()).toEqual([]);
  const words = ids.map(async (id) => wordOf(await sessions.state(id), { epoch: sessions.epoch }));
  expect(await Promise.all(words)).toEqual(["failed", "done", "done"]);
  await after.close();
  rmSync(data, { recursive: true });
});
