import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { readIdentity } from "../holder/directory/identity.ts";
import { connectHolder } from "../holder/host-side/link.ts";
import { parrot } from "./testing/parrot.ts";
import { endPlaces, env, openPlace, says } from "./testing/place.ts";

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
