/** The usual turn: thinks, plans, reads, edits files, asks, and runs the tests. */

import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { PlanEntry, ToolCall } from "@agentclientprotocol/sdk";
import { textContent } from "../acp/text-content.ts";
import { type Edit, nextChange } from "./changes.ts";
import { runCommand } from "./command.ts";
import type { DemoTurn } from "./turn.ts";
import { readText } from "./workspace.ts";

const TEST_COMMAND = "node --test";

/** Time limit for the tests; the demo's own tests finish well before it. */
const TESTS_MS = 60_000;

/** Characters of test output that are shown, from its end, which is the most useful part. */
const SHOWN = 16_384;

export async function work(turn: DemoTurn): Promise<void> {
  const change = nextChange((path) => readText(turn.options.cwd, path));
  await turn.think(`I look at the files first. Then I know what to do: ${change.title}.`);
  await turn.plan(plan(0));
  await turn.say(
    `This is turn ${turn.options.transcript.turns} of our conversation. I look around first.\n\n`,
  );
  await look(turn, change.edits[0]);
  await turn.plan(plan(1));
  await turn.say(
    `What is to be done here: **${change.title}**. I make the change and a test for it.\n\n`,
  );
  for (const edit of change.edits) await makeEdit(turn, edit);
  await turn.plan(plan(2));
  await turn.say("Now I would like to run the tests.\n\n");
  const verdict = await runTests(turn);
  if (verdict !== "not allowed") await turn.plan(plan(3));
  const files = change.edits.map((edit) => `\`${edit.path}\``).join(" and ");
  await turn.say(`Done: ${change.title}. I edited ${files}. Tests: ${verdict}.\n`);
  await turn.usage();
}

function plan(current: number): PlanEntry[] {
  return ["Look around", "Make the change", "Run the tests"].map((content, i) => ({
    content,
    priority: "medium",
    status: i < current ? "completed" : i === current ? "in_progress" : "pending",
  }));
}

async function look(turn: DemoTurn, edit: Edit | undefined): Promise<void> {
  const path = edit === undefined || edit.before === null ? "." : edit.path;
  const call = await turn.startTool({
    title: `Read ${path}`,
    kind: "read",
    status: "in_progress",
    rawInput: { path },
    locations: [{ path: join(turn.options.cwd, path) }],
  });
  const seen = edit?.before ?? readdirSync(turn.options.cwd).join("\n");
  await turn.finishTool({
    toolCallId: call.toolCallId,
    status: "completed",
    content: [textContent(seen)],
  });
}

async function makeEdit(turn: DemoTurn, edit: Edit): Promise<void> {
  const path = join(turn.options.cwd, edit.path);
  const call = await turn.startTool({
    title: `Edit ${edit.path}`,
    kind: "edit",
    status: "in_progress",
    rawInput: { path: edit.path },
    locations: [{ path }],
    content: [{ type: "diff", path, oldText: edit.before, newText: edit.after }],
  });
  writeFileSync(path, edit.after);
  await turn.finishTool({ toolCallId: call.toolCallId, status: "completed" });
}

type Verdict = "passed" | "failed" | "not allowed";

async function runTests(turn: DemoTurn): Promise<Verdict> {
  const call = await turn.startTool({
    title: TEST_COMMAND,
    kind: "execute",
    status: "pending",
    rawInput: { command: TEST_COMMAND },
  });
  if (!(await mayRun(turn, call))) {
    await turn.finishTool({
      toolCallId: call.toolCallId,
      status: "failed",
      content: [textContent("Not allowed.")],
    });
    return "not allowed";
  }
  const exitCode = await runAndShow(turn, call);
  return exitCode === 0 ? "passed" : "failed";
}

async function mayRun(turn: DemoTurn, call: ToolCall): Promise<boolean> {
  if (turn.options.transcript.alwaysAllows(TEST_COMMAND)) return true;
  const answer = await turn.ask(call);
  if (answer === "always") {
    turn.options.transcript.append({ type: "always_allowed", command: TEST_COMMAND });
  }
  return answer !== "denied";
}

async function runAndShow(turn: DemoTurn, { toolCallId }: ToolCall): Promise<number | null> {
  let output = "";
  await turn.updateTool({ toolCallId, status: "in_progress" });
  const exitCode = await runCommand(process.execPath, ["--test"], {
    cwd: turn.options.cwd,
    signal: AbortSignal.any([turn.signal, AbortSignal.timeout(TESTS_MS)]),
    async onOutput(piece) {
      output = (output + piece).slice(-SHOWN);
      await turn.updateTool({ toolCallId, content: [textContent(output)] });
    },
  });
  await turn.finishTool({
    toolCallId,
    status: exitCode === 0 ? "completed" : "failed",
    content: [textContent(output)],
    rawOutput: { exitCode },
  });
  return exitCode;
}
