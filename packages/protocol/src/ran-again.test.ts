import { describe, expect, it } from "vitest";
import type { Event, EventBody, EventOf } from "./events.ts";
import { ranAgain, ranAgainWords } from "./ran-again.ts";
import { transcriptOf } from "./transcript/transcript.ts";

const runId = "run_1";
const started = (id = runId, continues?: string): EventBody => ({
  kind: "run.started",
  runId: id,
  messageId: "msg_1",
  epoch: 1,
  bootId: "boot_1",
  model: null,
  ...(continues === undefined ? {} : { continues }),
});
const asked: EventBody = { kind: "message.user", messageId: "msg_1", content: "Do it" };
const receipt = (rung: EventOf<"receipt.issued">["rung"] = "native"): EventBody => ({
  kind: "receipt.issued",
  receiptId: "rcpt_1",
  runId,
  rung,
  kept: [],
  lost: [],
  maybeTwice: [],
  evidence: {},
});
type Status = EventOf<"tool.finished">["status"];
interface Given {
  readonly name?: string;
  readonly input?: EventOf<"tool.started">["input"];
  readonly status?: Status | null;
  readonly of?: string;
  readonly edit?: string;
}

/** Events of a call with its edit and its end; an end of null leaves it open. */
function call(toolCallId: string, given: Given = {}): EventBody[] {
  const { name = "Bash", input = { command: "make" }, status = "completed", of = runId } = given;
  const said = { runId: of, attempt: 1 };
  const part = { type: "diff", path: "a.ts", oldText: toolCallId, newText: given.edit ?? "" };
  return [
    { kind: "tool.started", ...said, toolCallId, name, input, gated: false },
    ...(given.edit === undefined
      ? []
      : [{ kind: "part.added", ...said, part: { ...part, toolCallId } } as const]),
    ...(status === null
      ? []
      : [{ kind: "tool.finished", ...said, toolCallId, status, output: "" } as const]),
  ];
}

function approval(toolCallId: string, decision: "allow" | "deny" | null): EventBody[] {
  const approvalId = `appr_${toolCallId}`;
  const question = { toolCallId, toolName: "execute", input: {}, digest: "", askedBy: null };
  return [
    { kind: "approval.requested", runId, attempt: 1, approvalId, ...question },
    ...(decision === null
      ? []
      : [{ kind: "approval.decided", runId, approvalId, decision, by: "me" } as const]),
  ];
}

function again(...bodies: EventBody[]) {
  const events = bodies.map((body, i): Event => {
    return { seq: i + 1, ts: "2026-01-01T00:00:00.000Z", ...body };
  });
  const { messages, receipts } = transcriptOf(events);
  return [...ranAgain(messages, receipts).values()].flat();
}

const pair = { toolCallId: "t2", firstCallId: "t1" };

describe("a call ran again", () => {
  it("when a restarted agent does the same with the same input in the same run", () => {
    const found = again(asked, started(), ...call("t1"), receipt(), ...call("t2"));
    expect(found).toMatchObject([{ ...pair, name: "Bash", exact: true }]);
    expect(ranAgainWords(found)).toEqual(["Bash, with the same input as before"]);
    expect(ranAgainWords([...found, ...found])).toEqual([
      "Bash, with the same input as before (2 calls)",
    ]);
  });

  it("when the run that continues an interrupted one does it, however often that was cut off", () => {
    const cut = (id: string): EventBody => ({
      kind: "run.interrupted",
      runId: id,
      reason: "process_restart",
      bootId: "boot_1",
    });
    const found = again(
      ...[asked, started(), ...call("t1"), cut(runId)],
      ...[started("run_2", runId), receipt(), cut("run_2")],
      ...[started("run_3", "run_2"), receipt(), ...call("t2", { of: "run_3" })],
    );
    expect(found).toMatchObject([pair]);
  });

  it("when an edit makes the same of the same file, whatever was there before", () => {
    const edit = (text: string) => ({ name: "Edit", input: {}, edit: text });
    const before = [asked, started(), ...call("t1", edit("new")), receipt()];
    expect(again(...before, ...call("t2", edit("new")))).toMatchObject([{ ...pair, exact: true }]);
    expect(again(...before, ...call("t2", edit("other")))).toEqual([]);
  });

  it("when the same input edits the same file in another way, and says so", () => {
    const edit = (text: string) => ({ name: "Edit", input: { path: "a.ts" }, edit: text });
    const before = [asked, started(), ...call("t1", edit("one")), receipt()];
    const found = again(...before, ...call("t2", edit("two")));
    expect(found).toMatchObject([{ ...pair, exact: true, otherResult: true }]);
    expect(ranAgainWords(found)).toEqual([
      "perhaps Edit: its reported input is the same as before, but the file changed in another way",
    ]);
  });

  it("perhaps, when the agent tells only its name", () => {
    const vague = { input: {} };
    const found = again(asked, started(), ...call("t1", vague), receipt(), ...call("t2", vague));
    expect(found).toMatchObject([{ ...pair, exact: false }]);
    expect(ranAgainWords(found)).toEqual([
      "perhaps Bash: the same tool ran before, and the agent does not report its input",
    ]);
  });
});

describe("a call did not run again", () => {
  const first = [asked, started(), ...call("t1")];

  it.each<[string, EventBody[]]>([
    ["its input is another", [...first, receipt(), ...call("t2", { input: { command: "ls" } })]],
    ["it is still open", [...first, receipt(), ...call("t2", { status: null })]],
    ["it was not started", [...first, receipt(), ...call("t2", { status: "not_started" })]],
    ["the agent was adopted and never stopped", [...first, receipt("adopted"), ...call("t2")]],
    ["both stand before the cut", [...first, ...call("t2"), receipt()]],
    [
      "the first was never allowed to start",
      [asked, started(), ...call("t1", { status: "not_started" }), receipt(), ...call("t2")],
    ],
  ])("when %s", (_, bodies) => {
    expect(again(...bodies)).toEqual([]);
  });

  it("when it was denied, whatever the agent calls its end", () => {
    const open = call("t2", { status: null });
    const failed = call("t2", { status: "failed" }).slice(1);
    const denied = [...open, ...approval("t2", "deny"), ...failed];
    expect(again(...first, receipt(), ...denied)).toEqual([]);
    const allowed = [...open, ...approval("t2", "allow"), ...failed];
    expect(again(...first, receipt(), ...allowed)).toMatchObject([pair]);
  });

  it("when the answer before it was completed", () => {
    const completed: EventBody = { kind: "run.completed", runId, stopReason: "end_turn" };
    const next = [started("run_2"), receipt(), ...call("t2", { of: "run_2" })];
    expect(again(...first, completed, ...next)).toEqual([]);
  });
});
