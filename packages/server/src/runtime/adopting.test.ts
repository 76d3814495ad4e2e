import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SessionId } from "@holdfast/protocol";
import { afterEach, expect, test } from "vitest";
import { readIdentity } from "../holder/directory/identity.ts";
import { connectHolder } from "../holder/host-side/link.ts";
import { parrot } from "./testing/parrot.ts";
import { endPlaces, env, openPlace, type Place, says } from "./testing/place.ts";

afterEach(endPlaces);

test("a resume that finds its agent alive after all has the receipt of the adoption", async () => {
  const p = await openPlace();
  const id = await p.create();
  await p.prompt(id, "/count=400");
  await p.until(id, says("<20>"));
  await p.close();
  const holder = readIdentity(p.holders()[0] ?? "");
  if (holder === null || !("pid" in holder)) throw new Error("no holder");
  process.kill(holder.pid, "SIGSTOP");
  await p.open({ policy: { holderProbe: 200, adoptLimit: 200 } });
  process.kill(holder.pid, "SIGCONT");
  const resumed = await p.host?.runtimes.revive(id, "revive").done;
  expect(resumed).toMatchObject({ rung: "adopted", receipt: { rung: "adopted", lost: [] } });
  expect(await p.of(id, "receipt.issued")).toMatchObject([{ seq: resumed?.receipt?.seq }]);
  expect((await p.sessions.state(id)).recovery.receipts).toBe(1);
});

/** An agent whose call goes on after a cancel, and ends when the file `end` is in its folder. */
const script = `
  const say = (line) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...line }) + "\\n");
  const update = (update) => say({ method: "session/update", params: { sessionId: "s", update } });
  let prompt;
  require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method } = JSON.parse(line);
    if (method === "initialize") say({ id, result: { protocolVersion: 1, agentCapabilities: {} } });
    if (method === "session/new") say({ id, result: { sessionId: "s" } });
    if (method === "session/prompt") {
      prompt = id;
      const content = [{ type: "content", content: { type: "text", text: "half" } }];
      update({ sessionUpdate: "tool_call", toolCallId: "t1", title: "slow", content });
    }
    if (method === "session/cancel") {
      say({ id: prompt, result: { stopReason: "cancelled" } });
      const looking = setInterval(() => {
        if (!require("node:fs").existsSync("end")) return;
        clearInterval(looking);
        update({ sessionUpdate: "tool_call_update", toolCallId: "t1", status: "completed" });
      }, 10);
    }
  });
`;

test("a call that ends after its run was cancelled and the host connected again ends its one row", async () => {
  const launch = () => ({
    command: process.execPath,
    args: ["-e", script],
    cwd: p.workspace(id),
    env,
  });
  const p = await openPlace({ definitions: [{ ...parrot, launch }] });
  const id = await p.create();
  const runId = await p.prompt(id, "go");
  await p.kind(id, "tool.started");
  await p.sessions.execute(id, "cancel", { runId });
  await p.kind(id, "run.cancelled");

  // This link replaces the host's; the host then connects again, which replaces this one.
  const [dir = ""] = p.holders();
  const { epoch } = p.sessions;
  const link = await connectHolder({ dir, epoch, acked: 0, timeoutMs: 5_000 });
  for await (const _frames of link.frames);
  writeFileSync(join(p.workspace(id), "end"), "");

  await p.kind(id, "agent.spoke");
  await expect
    .poll(async () => (await p.sessions.open(id)).transcript.messages.at(-1))
    .toMatchObject({
      status: "cancelled",
      contentParts: [{ type: "tool", toolCallId: "t1", status: "completed", output: "half" }],
    });
});

/** Takes the holder's only connection so often that the host puts off its next reconnect. */
async function breakLink(p: Place, id: SessionId): Promise<void> {
  const [dir = ""] = p.holders();
  const { holderId } = (await p.sessions.state(id)).runtime;
  const { epoch } = p.sessions;
  const take = async () => {
    const acked = await p.journal.cursor(id, holderId ?? "");
    return connectHolder({ dir, epoch, acked, timeoutMs: 5_000 });
  };
  // The frames end when the host has taken the connection back.
  for (let times = 0; times < 3; times++) {
    for await (const _ of (await take()).frames);
  }
  (await take()).drop();
  await expect.poll(() => p.host?.runtimes.live, { interval: 5 }).toBe(0);
}

async function frozenRun(p: Place): Promise<SessionId> {
  const id = await p.create({ unwatchedLimit: 1 });
  await p.prompt(id, "/count=100");
  await p.until(id, says("<10>"));
  await new Promise((resolve) => setTimeout(resolve, 5));
  await p.host?.sweep();
  await p.kind(id, "sandbox.frozen");
  return id;
}

test("a message that is sent while the link to the holder is broken goes out when it is back", async () => {
  const p = await openPlace();
  const id = await p.create();
  await p.prompt(id, "/say first");
  await p.kind(id, "run.completed");
  await breakLink(p, id);
  const { seq } = await p.sessions.state(id);
  await p.prompt(id, "/say second");
  await p.kind(id, "run.completed", seq);
  expect(await p.of(id, "holder.launched")).toHaveLength(1);
});

test("an agent is thawed when somebody looks while the link to its holder is broken", async () => {
  const p = await openPlace();
  const id = await frozenRun(p);
  await breakLink(p, id);
  p.host?.watch.seen(id);
  await p.kind(id, "run.completed");
  expect(await p.text(id)).toMatch(/<100>$/);
});

test("an agent that is frozen goes on under the next host, and can be frozen again", async () => {
  const p = await openPlace();
  const id = await frozenRun(p);
  await p.close();
  await p.open();
  await p.kind(id, "sandbox.thawed");
  const { seq } = await p.sessions.state(id);
  await p.until(id, ({ kind }) => kind === "text.appended", seq);
  await p.host?.sweep();
  await p.kind(id, "sandbox.frozen", seq);
  p.host?.watch.seen(id);
  await p.kind(id, "run.completed");
  expect(await p.of(id, "holder.launched")).toHaveLength(1);
});
