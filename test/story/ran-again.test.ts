import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { killHolder } from "../../packages/server/src/holder/host-side/liveness.ts";
import { hasTerminal, type Running, run, startInTerminal } from "../cli/terminal.ts";
import { World } from "./world.ts";

const worlds: World[] = [];
const attachments: Running[] = [];

afterEach(async () => {
  for (const { child } of attachments.splice(0)) child.kill("SIGKILL");
  for (const made of worlds.splice(0)) await made.end();
});

async function world(): Promise<World> {
  const made = new World();
  worlds.push(made);
  await made.start();
  return made;
}

/** Kills host, holders and agents with SIGKILL, then starts the host again. */
async function killAll(w: World): Promise<void> {
  await w.kill();
  for (const holderId of w.holders()) await killHolder(join(w.data, "holders", holderId));
  await w.start();
}

async function question(w: World, id: string, after = 0) {
  const asked = await w.untilKind(id, "approval.requested", after);
  if (asked.kind !== "approval.requested") throw new Error("no question");
  // A question that was compared with an earlier answer already has its workspace mark.
  if (asked.workspace === undefined) await w.untilKind(id, "approval.marked", asked.seq);
  return asked;
}

const allow = (w: World, { runId, approvalId }: { runId: string; approvalId: string }) =>
  w.client.call("decideApproval", { params: { runId, approvalId }, body: { decision: "allow" } });

const receiptsOf = async (w: World, id: string) =>
  (await w.client.call("listReceipts", { params: { sessionId: id } })).receipts;

test.skipIf(!hasTerminal)(
  "a call that a restarted agent runs again is named with the receipt, in API and CLI, at its next question and after its end",
  async () => {
    const w = await world();
    const { id } = await w.create("/effect=2");
    const first = await question(w, id);
    await allow(w, first);
    const second = await question(w, id, first.seq);
    await killAll(w);
    const attached = startInTerminal([
      "attach",
      id,
      "--after",
      String(second.seq),
      "--data",
      w.data,
    ]);
    attachments.push(attached);
    await allow(w, second);
    const again = await question(w, id, second.seq);
    expect(again.input).toEqual(first.input);
    expect((await receiptsOf(w, id)).flatMap(({ ranAgain }) => ranAgain)).toEqual([]);
    await allow(w, again);
    // The files have changed since, so the second effect is asked about once more.
    const last = await question(w, id, again.seq);
    const ranAgain = [
      {
        toolCallId: again.toolCallId,
        name: "Effect 1",
        firstCallId: first.toolCallId,
        exact: true,
      },
    ];
    expect(await receiptsOf(w, id)).toMatchObject([{ rung: "native", ranAgain }]);
    const words = "Effect 1, with the same input as before";
    await attached.says(words, "stdout");
    await allow(w, last);
    await attached.says("✓ done", "stdout");
    attached.child.stdin?.write("\u0003");
    await attached.ended();
    expect(attached.stdout.split(words)).toHaveLength(2);
    expect(readFileSync(join(w.data, "workspaces", id, "effects.log"), "utf8")).toBe("1\n1\n2\n");
    expect((await run(["show", id, "--data", w.data])).stdout).toContain(words);
  },
  60_000,
);
