import type { RecoveredPart } from "@holdfast/protocol";
import { describe, expect, it } from "vitest";
import { kinds, story } from "./testing/story.ts";

const call = (toolCallId: string): RecoveredPart => ({
  type: "tool",
  toolCallId,
  name: "Bash",
  input: { command: "ls" },
  status: "unknown",
  output: "",
});
const text = (words: string): RecoveredPart => ({ type: "text", text: words });

function cutOff(options: Parameters<typeof story>[0] = {}) {
  const told = story(options).prompt().launch().say("I beg");
  told.do("processDied", { runId: told.run.id, reason: "process_exit" });
  return told;
}

describe("what an agent's own session held beyond the journal", () => {
  it("is added to the run that was cut off, marked, and leaves the rest of the run unchanged", () => {
    const told = cutOff();
    const { outcome } = told.run;
    const { derived } = told;
    const agentSessionId = "agent-1";
    const parts = [text("in."), text(" Then"), call("r1"), { type: "user" as const, text: "Hey" }];
    const events = told.do("recover", { agentSessionId, of: told.who, parts });
    expect(kinds(events)).toEqual(Array(4).fill("part.added"));
    expect({ outcome: told.run.outcome, derived: told.derived }).toEqual({ outcome, derived });
    expect(told.answer.contentParts).toMatchObject([
      { type: "text", text: "I beg" },
      { type: "text", text: "in. Then", recovered: true },
      { type: "tool", toolCallId: "r1", status: "unknown", recovered: true },
      { type: "other", part: { type: "user", text: "Hey" }, recovered: true },
    ]);
  });

  it("is not mixed with what the run says from then on", () => {
    const told = story().prompt().launch().say("a");
    told.do("recover", { agentSessionId: "agent-1", of: told.who, parts: [text("b")] });
    told.say("c");
    expect(told.answer.contentParts).toMatchObject([
      { type: "text", text: "a" },
      { type: "text", text: "b", recovered: true },
      { type: "text", text: "c" },
    ]);
    expect(told.answer.contentParts[2]).not.toHaveProperty("recovered");
  });

  it("reaches an earlier run as well: the next message may have come first", () => {
    const told = cutOff();
    const of = told.who;
    told.prompt("Next");
    const { run } = told.state;
    told.do("recover", { agentSessionId: "agent-1", of, parts: [call("r1")] });
    expect(told.state.run).toEqual(run);
    const answers = told.transcript.messages.filter(({ role }) => role === "assistant");
    expect(answers.map(({ contentParts }) => contentParts.length)).toEqual([2, 0]);
  });

  it("was said between turns where no run was cut off, as long as it is no flood [P29]", () => {
    const told = story({ policy: { spokenBetween: 100 } })
      .prompt()
      .launch()
      .complete();
    const recover = (id: string) =>
      told.do("recover", { agentSessionId: "agent-1", of: null, parts: [call(id)] });
    expect(recover("r1")).toMatchObject([{ kind: "agent.spoke", recovered: true }]);
    expect(told.transcript.messages.at(-1)).toMatchObject({
      role: "assistant",
      runId: null,
      contentParts: [{ type: "tool", toolCallId: "r1", recovered: true }],
    });
    expect(recover("r2")).toEqual([]);
  });

  it("adds no part to a run that has reached its output limit [P29]", () => {
    const told = cutOff({ policy: { runSaid: 10 } });
    const parts = [text("x")];
    expect(told.do("recover", { agentSessionId: "agent-1", of: told.who, parts })).toEqual([]);
  });

  it("is refused of a session that is not the agent's any more, and of one that has ended", () => {
    const told = cutOff();
    const recover = { agentSessionId: "agent-1", of: told.who, parts: [text("x")] };
    told.do("retireAgentSession", { agentSessionId: "agent-1", reason: "refused" });
    expect(told.refused("recover", recover).code).toBe("late_event");
    told.do("end", { reason: "explicit" });
    expect(told.refused("recover", recover).code).toBe("session_ended");
  });

  it("has bounds: of each part, and of all", () => {
    const told = cutOff();
    const recover = (parts: RecoveredPart[]) =>
      told.refused("recover", { agentSessionId: "agent-1", of: told.who, parts }).code;
    expect(recover([])).toBe("bad_input");
    expect(recover([text("")])).toBe("bad_input");
    expect(recover([text("x".repeat(16_385))])).toBe("bad_input");
    expect(recover(Array(1001).fill(text("x")))).toBe("bad_input");
    expect(
      recover([{ ...call("r1"), input: { big: "x".repeat(300 * 1024) } } as RecoveredPart]),
    ).toBe("too_large");
  });
});
