import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { killHolder } from "../../packages/server/src/holder/host-side/liveness.ts";
import { hasTerminal, type Running, run, startInTerminal } from "../cli/terminal.ts";
import { World } from "./world.ts";

let w: World;
let attached: Running | null = null;

afterAll(async () => {
  attached?.child.kill("SIGKILL");
  await w.end();
});

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

const words = "Effect 1, with the same input as before";
let id: string;
let atQuestion: Awaited<ReturnType<typeof receiptsOf>>;
let expected: object[];

/** The first of two effects runs again after a kill of host, holder and agent. */
beforeAll(async () => {
  w = new World();
  await w.start();
  ({ id } = await w.create("/effect=2"));
  const first = await question(w, id);
  await allow(w, first);
  const second = await question(w, id, first.seq);
  await killAll(w);
  const after = ["--after", String(second.seq)];
  if (hasTerminal) attached = startInTerminal(["attach", id, ...after, "--data", w.data]);
  await allow(w, second);
  const again = await question(w, id, second.seq);
  expect(again.input).toEqual(first.input);
  expect(again.askedAgain).toMatchObject({ approvalId: first.approvalId, ran: "yes" });
  expect((await receiptsOf(w, id)).flatMap(({ ranAgain }) => ranAgain)).toEqual([]);
  await allow(w, again);
  // The files have changed since, so the second effect is asked about once more.
  const last = await question(w, id, again.seq);
  atQuestion = await receiptsOf(w, id);
  const firstCallId = first.toolCallId;
  expected = [{ toolCallId: again.toolCallId, name: "Effect 1", firstCallId, exact: true }];
  await attached?.says(words, "stdout");
  await allow(w, last);
  await w.untilKind(id, "run.completed", last.seq);
}, 60_000);

test("a call that a restarted agent runs again is named with the receipt at its next question", async () => {
  expect(atQuestion).toMatchObject([{ rung: "native", ranAgain: expected }]);
  expect(readFileSync(join(w.data, "workspaces", id, "effects.log"), "utf8")).toBe("1\n1\n2\n");
});

test("holdfast show names a call that ran again after its run", async () => {
  expect((await run(["show", id, "--data", w.data])).stdout).toContain(words);
});

test.skipIf(!hasTerminal)("holdfast attach names a call that ran again once", async () => {
  await attached?.says("✓ done", "stdout");
  attached?.child.stdin?.write("\u0003");
  await attached?.ended();
  expect(attached?.stdout.split(words)).toHaveLength(2);
});
