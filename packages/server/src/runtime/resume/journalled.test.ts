import { describe, expect, test } from "vitest";
import { story } from "../../session/rules/testing/story.ts";
import { journalledOf } from "./journalled.ts";

/** The anchors without their seq. */
const names = (told: ReturnType<typeof story>, session: string) =>
  journalledOf(told.transcript, session).anchors.map((anchor) =>
    anchor.type === "tool" ? anchor.toolCallId : anchor.text,
  );

const interrupt = (told: ReturnType<typeof story>) =>
  told.do("processDied", { runId: told.run.id, reason: "process_exit" });

/** Another launch of the agent, with its current session. */
const ready = (told: ReturnType<typeof story>, agentSessionId: string, contextFrom?: number) =>
  told.do("agentReady", { agentSessionId, holderId: null, contextFrom: contextFrom ?? null });

const accept = (told: ReturnType<typeof story>) =>
  told.do("accept", { ...told.who, holderId: null });

describe("what a session of the agent's must know", () => {
  test("is the words and calls of the runs whose prompt it took, in order", () => {
    const told = story().prompt("one").launch().tool("t1").finish("t1").complete();
    told.prompt("two").launch().tool("t2").finish("t2").say("Done.").complete();
    told.prompt("never taken");
    expect(names(told, "agent-1")).toEqual(["one", "t1", "two", "t2", "Done."]);
    expect(names(told, "agent-2")).toEqual([]);
    const { calls, words, lastWords, last } = journalledOf(told.transcript, "agent-1");
    expect(calls).toEqual(new Set(["t1", "t2"]));
    expect(words).toEqual(new Set(["one", "two", "never taken"]));
    expect({ lastWords, outcome: last?.outcome }).toEqual({
      lastWords: "Done.",
      outcome: "completed",
    });
  });

  test("has no call that never began: agents leave those out of what they replay", () => {
    const told = story().prompt("one").launch().tool("t1");
    told.ask("t1", { command: "ls" });
    told.do("cancel", { runId: told.run.id });
    told.do("settleCancel", { runId: told.run.id });
    const [part] = told.transcript.messages.at(-1)?.contentParts ?? [];
    expect([part?.type === "tool" && part.status, names(told, "agent-1")]).toEqual([
      ...["not_started", ["one"]],
    ]);
  });

  test("has the words once for each prompt that carried them", () => {
    const told = story().prompt("one").launch().tool("t1");
    interrupt(told);
    told.do("retry", { runId: told.run.id, from: "error" });
    accept(told);
    expect(names(told, "agent-1")).toEqual(["one", "t1", "one"]);
  });

  test("leaves out what a prompt told it, but not that prompt; without it all that is missing", () => {
    const told = story().prompt("one").launch().tool("t1").complete();
    const first = told.transcript.messages[0]?.seq ?? 0;
    ready(told, "agent-2", first);
    told.prompt("two");
    accept(told);
    told.tool("t2");
    expect(names(told, "agent-2")).toEqual(["two", "t2"]);
    expect(journalledOf(told.transcript, "agent-2").anchors[0]).toMatchObject({ from: first });
  });

  test("forgotten once and told again, it is not asked for its own memory of it", () => {
    const told = story().prompt("one").launch().tool("t1").complete();
    const answer = told.transcript.messages[1]?.seq ?? 0;
    ready(told, "agent-1", answer);
    told.prompt("two");
    accept(told);
    expect(names(told, "agent-1")).toEqual(["one", "two"]);
  });

  test("of a run that it took over in the middle is its words alone", () => {
    const told = story().prompt("one").launch().tool("t1");
    told.ask("t1");
    told.do("decide", { runId: told.run.id, toolCallId: "t1", decision: "allow", by: "me" });
    told.do("processDied", { runId: told.run.id, reason: "process_exit" });
    ready(told, "agent-2", 1);
    accept(told);
    expect(names(told, "agent-2")).toEqual(["one"]);
  });

  test("has recovered parts, in their run or between turns, so that they are recovered once", () => {
    const told = story().prompt("one").launch().say("I beg");
    interrupt(told);
    const call = { name: "Bash", input: {}, output: "" };
    const recover = (of: { runId: string; attempt: number } | null, id: string) =>
      told.do("recover", {
        agentSessionId: "agent-1",
        of,
        parts: [
          { type: "text", text: "in." },
          { type: "user", text: `elsewhere ${id}` },
          { type: "tool", toolCallId: id, ...call, status: "unknown" },
          { type: "text", text: "And so on." },
        ],
      });
    recover(told.who, "r1");
    expect(names(told, "agent-1")).toEqual(["one", "elsewhere r1", "r1"]);
    expect(journalledOf(told.transcript, "agent-1").lastWords).toBe("And so on.");
    recover(null, "r2");
    told.prompt("two").launch().complete();
    expect(names(told, "agent-1")).toEqual([
      ...["one", "elsewhere r1", "r1", "elsewhere r2", "r2", "two"],
    ]);
    expect(journalledOf(told.transcript, "agent-1").calls).toEqual(new Set(["r1", "r2"]));
  });

  test("leaves out rewound messages, and knows calls between turns", () => {
    const told = story().prompt("one").launch().tool("t1").complete();
    const { seq } = told.state;
    told.prompt("two").launch().tool("t2").complete();
    told.do("speak", {
      output: [{ type: "tool_started", toolCallId: "t3", name: "Bash", input: {}, gated: false }],
    });
    expect(journalledOf(told.transcript, "agent-1").calls).toContain("t3");
    told.do("rewind", { toSeq: seq, checkpointId: `ckpt_${"0".repeat(32)}` });
    expect(names(told, "agent-1")).toEqual(["one", "t1"]);
  });
});
