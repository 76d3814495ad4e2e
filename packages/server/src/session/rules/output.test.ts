import { stateLimits } from "@holdfast/protocol";
import { MAX_EVENT_BYTES } from "@holdfast/protocol/schemas";
import { describe, expect, it } from "vitest";
import { kinds, type Story, story } from "./testing/story.ts";

const toolParts = (told: Story) => told.answer.contentParts.filter((part) => part.type === "tool");

describe("what an agent says", () => {
  it("is an event the moment it is recorded, a tool's result and text alike [R003-34] [R003-35]", () => {
    const told = story().prompt().launch();
    const say = (output: Parameters<Story["say"]>[0]) =>
      kinds(told.do("record", { ...told.who, output: [{ type: "text", text: output }] }));
    expect(say("a")).toEqual(["text.appended"]);
    told.tool("t1");
    const before = told.events.length;
    told.finish("t1", "result");
    expect(kinds(told.events.slice(before))).toEqual(["tool.finished"]);
    // The transcript is built from the journal alone.
    expect(told.answer.contentParts).toMatchObject([{ text: "a" }, { output: "result" }]);
  });

  it("is cut where no person could read it any more, and all of it up to there is kept [P29] [P34]", () => {
    const told = story({ policy: { runSaid: 360 } })
      .prompt()
      .launch();
    for (let i = 0; i < 6; i++) told.say("x".repeat(20));
    const output = [{ type: "text" as const, text: "more" }];
    const refused = told.refused("record", { ...told.who, output });
    expect(refused).toMatchObject({ code: "limit_reached" });
    expect(told.answer.contentParts).toMatchObject([{ text: "x".repeat(120) }]);
  });

  it("between turns is kept as long as it is no flood; that something is left out is said once [P29]", () => {
    const told = story({ policy: { spokenBetween: 100 } })
      .prompt()
      .launch()
      .complete();
    const speak = () => told.do("speak", { output: [{ type: "text", text: "y".repeat(60) }] });
    expect(speak()).toHaveLength(1);
    expect(speak()).toMatchObject([{ text: "y".repeat(60) }, { part: { type: "notice" } }]);
    expect([speak(), speak()]).toEqual([[], []]);
    told.prompt().launch().complete();
    expect(speak()).toHaveLength(1);
  });

  it("is recorded in order, and empty text is dropped", () => {
    const told = story().prompt();
    const events = told.do("record", {
      ...told.who,
      output: [
        { type: "text", text: "a" },
        { type: "text", text: "" },
        { type: "thinking", text: "" },
        { type: "thinking", text: "b" },
        { type: "part", part: { type: "image" } },
        { type: "usage", inputTokens: 3, outputTokens: 4 },
        { type: "usage", inputTokens: 1, outputTokens: 1 },
      ],
    });
    expect(kinds(events)).toEqual([
      "text.appended",
      "thinking.appended",
      "part.added",
      "usage.reported",
      "usage.reported",
    ]);
    expect(told.run).toMatchObject({ inputTokens: 4, outputTokens: 5 });
  });

  it("makes a status change an event in the same batch [R003-36]", () => {
    const told = story().prompt();
    const changes = [
      told.events.slice(1),
      told.do("openWait", { ...told.who, kind: "human", deadlineAt: null, token: told.secret() }),
      told.do("resumeWait", { runId: told.run.id, by: "me" }),
      told.do("complete", { ...told.who, stopReason: "end_turn" }),
    ];
    expect(changes.map((events) => events.at(-1))).toMatchObject([
      { kind: "status.derived", status: "running" },
      { kind: "status.derived", status: "waiting" },
      { kind: "status.derived", status: "running" },
      { kind: "status.derived", status: "idle" },
    ]);
  });

  it("larger than an event is refused before anything is written", () => {
    const told = story().prompt().launch();
    const big = "x".repeat(MAX_EVENT_BYTES);
    const wide = "\u0001".repeat(MAX_EVENT_BYTES / 6);
    for (const output of [
      { type: "text", text: big },
      { type: "thinking", text: wide },
      { type: "part", part: { big } },
      { type: "tool_started", toolCallId: "t", name: "n", input: { big }, gated: false },
    ] as const) {
      const error = told.refused("record", { ...told.who, output: [output] });
      expect(error).toMatchObject({ code: "too_large", message: expect.stringContaining("blob") });
    }
  });
});

describe("a tool call", () => {
  it("has one start and one result; the rest is noise", () => {
    const told = story().prompt().tool("t1");
    const output = [
      { type: "tool_started", toolCallId: "t1", name: "Bash", input: {}, gated: false },
      { type: "tool_updated", toolCallId: "t9", output: "?" },
      { type: "tool_finished", toolCallId: "t9", status: "completed", output: "?" },
      { type: "tool_updated", toolCallId: "t1", output: "so far" },
      { type: "tool_finished", toolCallId: "t1", status: "completed", output: "done" },
      { type: "tool_finished", toolCallId: "t1", status: "failed", output: "again" },
    ] as const;
    expect(kinds(told.do("record", { ...told.who, output: [...output] }))).toEqual([
      "tool.updated",
      "tool.finished",
    ]);
    expect(toolParts(told)).toMatchObject([{ status: "completed", output: "done" }]);
  });

  it("is in the journal before its result, so that any crash between them is seen [RX-3]", () => {
    const told = story().prompt().tool("t1");
    expect(told.run.openTools).toMatchObject([{ id: "t1" }]);
    told.finish("t1");
    expect(told.run.openTools).toEqual([]);
    const order = kinds(told.events).filter((kind) => kind.startsWith("tool."));
    expect(order).toEqual(["tool.started", "tool.finished"]);
  });

  /**
   * Each story leaves one call open at another point; every end of the run must record its result.
   */
  const left: [string, string, RegExp, (told: Story) => unknown][] = [
    ["nobody was asked", "unknown", /unknown/, () => undefined],
    [
      "its question is open",
      "not_started",
      /^The question was not answered/,
      (told) => told.ask("t1"),
    ],
    [
      "the answer never reached it",
      "not_started",
      /^Allowed, but the agent stopped before it got/,
      (told) => answer(told, told.ask("t1"), "allow"),
    ],
    [
      "it was allowed and told so",
      "unknown",
      /unknown/,
      (told) => deliver(told, answer(told, told.ask("t1"), "allow")),
    ],
    [
      "it was refused and told so",
      "not_started",
      /^Denied/,
      (told) => deliver(told, answer(told, told.ask("t1"), "deny")),
    ],
    [
      "a stop closed its question",
      "not_started",
      /^The run was stopped/,
      (told) => {
        told.ask("t1");
        told.cancel();
      },
    ],
  ];
  it.each(left)(
    "left open when %s is closed as %s [RX-3] [RX-4] [F7]",
    (_, status, why, before) => {
      const told = story().prompt().launch().tool("t0").finish("t0").tool("t1");
      before(told);
      told.do("complete", { ...told.who, stopReason: "end_turn" });
      const closed = told.events.filter((e) => e.kind === "tool.finished" && e.toolCallId === "t1");
      expect(closed).toMatchObject([
        { status, output: expect.stringMatching(why), synthetic: true },
      ]);
      expect(toolParts(told)).toMatchObject([{ status: "completed" }, { status }]);
    },
  );

  const ends: [string, (told: Story) => unknown][] = [
    ["completed", (told) => told.complete()],
    ["cancelled", (told) => told.cancel().do("settleCancel", { runId: told.run.id })],
    ["failed", (told) => told.fail("content_policy")],
    ["interrupted", (told) => dead(told)],
    ["superseded", (told) => told.stand("external").prompt("Other")],
    ["ended with its session", (told) => told.do("end", { reason: "explicit" })],
    ["timed out", (told) => timeOut(told)],
  ];
  it.each(ends)("has exactly one result when the run is %s, and keeps it [RX-4] [F7]", (_, end) => {
    const told = story().prompt().launch().tool("t1").tool("t2").finish("t2");
    const { id } = told.run;
    end(told);
    const results = () =>
      told.events
        .filter((event) => event.kind === "tool.finished" && event.runId === id)
        .map((event) => (event.kind === "tool.finished" ? event.toolCallId : ""));
    expect(results().toSorted()).toEqual(["t1", "t2"]);
    const parts = told.transcript.messages
      .flatMap((message) => message.contentParts)
      .filter((part) => part.type === "tool");
    expect(parts.map((part) => part.status)).toEqual(["unknown", "completed"]);
    // A second recovery appends no events.
    told.reboot();
    told.decide("processDied", { runId: id, reason: "process_restart" });
    expect(results()).toHaveLength(2);
  });

  it("that an earlier launch left open is closed before the next one starts [RX-4]", () => {
    const told = story().prompt().launch().tool("t1");
    answer(told, told.ask("t1"), "allow");
    const events = told.do("processDied", { runId: told.run.id, reason: "process_exit" });
    expect(kinds(events)).toEqual(["tool.finished", "attempt.started"]);
    expect(told.run.openTools).toEqual([]);
  });

  it("is refused when too many are open", () => {
    const told = story().prompt();
    for (let i = 0; i < stateLimits.openTools; i++) told.tool(`t${i}`);
    const one = { type: "tool_started", toolCallId: "x", name: "n", input: {}, gated: false };
    const error = told.refused("record", { ...told.who, output: [one as never] });
    expect(error.code).toBe("limit_reached");
    expect(told.finish("t0").tool("x").run.openTools).toHaveLength(stateLimits.openTools);
  });
});

function answer(told: Story, approvalId: string, decision: "allow" | "deny"): string {
  told.do("decide", { runId: told.run.id, approvalId, decision, by: "me" });
  return approvalId;
}

function deliver(told: Story, approvalId: string): void {
  told.do("deliver", { runId: told.run.id, approvalId });
}

function dead(told: Story): void {
  told.do("processDied", { runId: told.run.id, reason: "process_exit" });
}

function timeOut(told: Story): void {
  told.stand("external").pass(11 * 60_000);
  told.do("expireWait", { runId: told.run.id, waitId: told.wait.id });
}
