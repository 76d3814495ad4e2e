import type { Event, EventBody } from "@holdfast/protocol";
import { describe, expect, test } from "vitest";
import { type KnownAgent, knownAgents } from "../known.ts";
import type { Entry } from "../model/conversation.ts";
import type { Cell } from "./cells.ts";
import { judge, type Seen } from "./judge.ts";
import { first, last, underWay } from "./words.ts";

const [known] = knownAgents as [KnownAgent];

const user = (text: string): Entry => ({ role: "user", text });
const remembered: Entry[] = [
  user(first.words),
  { role: "assistant", toolCall: { id: "1", name: "bash", input: { command: first.call } } },
  { role: "tool", toolResult: { id: "1", text: "" } },
  { role: "assistant", text: first.answer },
];
const told = [
  "=== EXECUTION HISTORY ===",
  `[USER]: ${first.words}`,
  `[TOOL CALL: bash] ${first.call}`,
  "[TOOL RESULT: bash]",
  `[ASSISTANT]: ${first.answer}`,
  "=== CURRENT REQUEST ===",
  last,
].join("\n");

/** The checked part of an event. */
type Said = Partial<EventBody> & { readonly kind: EventBody["kind"] };
const numbered = (said: readonly Said[]) =>
  said.map((body, i) => ({ ...body, seq: i + 1 }) as unknown as Event);

const resumed: Said = { kind: "session.resumed", rung: "native", grade: "verified" };
const receipt = (over: object = {}): Said => ({
  kind: "receipt.issued",
  rung: "native",
  lost: [],
  maybeTwice: [],
  evidence: { grade: "verified" },
  ...over,
});
const answered: Said = { kind: "text.appended", text: first.answer };
const messages = (...contents: (string | null)[]): Said[] => [
  ...contents.flatMap((content) =>
    content === null ? [] : [{ kind: "message.user" as const, content }],
  ),
  answered,
];
const run = (runId: string, kind: EventBody["kind"], more: object = {}): Said[] => [
  { kind: "run.started", runId },
  { kind, runId, ...more } as Said,
];

function seen(said: readonly Said[], over: Partial<Cell> = {}, more: Partial<Seen> = {}): Seen {
  return {
    cell: { known, victim: "agent", phase: "turn", ...over },
    events: numbered(said),
    struck: 0,
    status: null,
    proof: [...remembered, user(last)],
    lines: { apples: 1 },
    isSameAgent: false,
    isSameQuestion: true,
    beside: [],
    left: [],
    ...more,
  };
}

const goodTurn = [...messages(first.words, last), ...run("r", "run.completed"), resumed, receipt()];

test("a resume without loss has no problems", () => {
  expect(judge(seen(goodTurn))).toEqual({
    rung: "native",
    grade: "verified",
    context: "native",
    problems: [],
  });
});

test("an injected history is a problem unless the agent lost its memory", () => {
  const injected = { rung: "injected", grade: "injected" } as const;
  const said = [
    ...goodTurn.slice(0, -2),
    { ...resumed, ...injected },
    receipt({ rung: "injected", lost: ["its memory"], evidence: { grade: "injected" } }),
  ];
  const more = { proof: [user(told)] };
  expect(judge(seen(said, {}, more)).problems).toEqual(["its rung is injected, not native"]);
  expect(judge(seen(said, { loss: "files" }, more)).problems).toEqual([]);
});

describe("each of these is a problem", () => {
  test.for<[string, Partial<Seen>]>([
    ["beside", { beside: ["7 claude"] }],
    ["after its end", { left: ["7 claude"] }],
    ["took effect 2 times", { lines: { apples: 2 } }],
    ["took no effect", { lines: { apples: 0 } }],
    ["asked nothing", { proof: null }],
    ["lacks the first turn's answer", { proof: remembered.slice(0, 3) }],
    ["the model's context injected", { proof: [user(told)] }],
    ["not who they should be", { isSameAgent: true }],
    ["without result", { proof: [...remembered, remembered[1] as Entry].toSpliced(2, 1) }],
  ])("%s", ([problem, more]) => {
    expect(judge(seen(goodTurn, {}, more)).problems.join()).toContain(problem);
  });

  test.for<[string, Said[]]>([
    ["resumed 2 times", [...goodTurn, resumed]],
    ["2 receipts", [...goodTurn, receipt()]],
    ["2 outcomes", [...goodTurn, { kind: "run.failed", runId: "r" }]],
    ["it was told", [...goodTurn, ...messages(first.words)]],
    ["first answer is there 2 times", [...goodTurn, answered]],
    ["interrupted", [...goodTurn, ...run("s", "run.interrupted", { reason: "process_exit" })]],
  ])("%s", ([problem, said]) => {
    expect(judge(seen(said)).problems.join()).toContain(problem);
  });
});

test("an effect that occurred twice is no problem when a receipt names its call", () => {
  const call = { toolCallId: "call-1", name: "bash", input: { command: first.call } };
  const said: Said[] = [
    ...goodTurn.slice(0, -1),
    { kind: "tool.started", ...call },
    receipt({ maybeTwice: ["bash"], evidence: { grade: "verified", maybeTwice: ["call-1"] } }),
  ];
  expect(judge(seen(said, {}, { lines: { apples: 2 } })).problems).toEqual([]);
});

test("an interrupted run must be interrupted once, for the right reason, and be continued", () => {
  const said = (reason: string) => [
    ...messages(first.words, underWay.stream, last),
    ...run("r", "run.interrupted", { reason }),
    ...[resumed, receipt({ lost: ["perhaps, its answer that was cut off"] })],
  ];
  const more: Partial<Seen> = {
    proof: [...remembered, user("Plums. word-1 word-2")],
    status: "interrupted_startup",
  };
  const problems = (reason: string, other: Partial<Seen> = {}) =>
    judge(seen(said(reason), { phase: "stream", victim: "all" }, { ...more, ...other })).problems;
  expect(problems("process_restart")).toEqual([]);
  expect(problems("process_exit")).toHaveLength(1);
  expect(problems("process_restart", { status: "running" })).toHaveLength(1);
  expect(problems("process_restart", { proof: remembered }).join()).toContain("word-1");
});

describe("a new message instead of Continue", () => {
  const said = (lost: string[]): Said[] => [
    ...messages(first.words, underWay.stream, last),
    ...run("r", "run.interrupted", { reason: "process_exit" }),
    ...[resumed, receipt({ lost })],
  ];
  const cell = { phase: "stream", victim: "agent", next: "message" } as const;
  const problems = (lost: string[], proof: Entry[]) =>
    judge(seen(said(lost), cell, { proof, status: "interrupted_startup" })).problems.join();
  const cut = user("Plums.");
  const words: Entry = { role: "assistant", text: "word-1 word-2" };

  test("is correct when the model knows the interrupted work, injected or native, and the receipt names it", () => {
    const told = [...remembered, cut, user("word-1 word-2 Pears.")];
    expect(problems(["perhaps, its answer"], told)).toBe("");
    expect(problems(["perhaps, its answer"], [...remembered, cut, words, user(last)])).toBe("");
  });

  test("is a problem when the model does not know it, or the receipt omits it", () => {
    expect(problems(["perhaps"], [...remembered, cut, user(last)])).toContain("word-1 word-2");
    expect(problems([], [...remembered, cut, words, user(last)])).toContain("does not name");
  });

  test("after an open call names that call to the model", () => {
    const open = { kind: "tool.finished", toolCallId: "call-7", status: "unknown" } as const;
    const proof = [...remembered, cut, user(last)];
    const more = { proof, status: "interrupted_startup" } as const;
    const events = [...said(["perhaps"]), open].map((one) =>
      one.kind === "message.user" && one.content === underWay.stream
        ? { ...one, content: underWay.open ?? "" }
        : one,
    );
    expect(judge(seen(events, { ...cell, phase: "open" }, more)).problems.join()).toContain(
      "call-7",
    );
  });
});

describe("a question that the agent asks without its input", () => {
  test("is asked again after the kill, with the reason", () => {
    const again = { reason: "input_unknown", approvalId: "a" } as const;
    const events: Said[] = [
      { kind: "approval.marked", runId: "r" },
      ...Array<Said>(2).fill({ kind: "run.waiting", runId: "r" }),
      ...messages(first.words, underWay.permission, last),
      { kind: "approval.requested", runId: "r", askedAgain: again },
      ...run("r", "run.completed"),
      ...[{ kind: "approval.delivered", runId: "r" } as const, resumed, receipt()],
    ];
    const proof = [...remembered, user("Plums. ALLOWED")];
    const { problems } = judge(seen(events, { phase: "permission" }, { struck: 1, proof }));
    expect(problems).toEqual([]);
  });
});

describe("a question", () => {
  const question = (carried: number, waits = 1): Said[] => [
    { kind: "approval.marked", runId: "r" },
    ...Array<Said>(waits).fill({ kind: "run.waiting", runId: "r" }),
    ...messages(first.words, underWay.permission, last),
    ...run("r", "run.completed"),
    ...Array<Said>(carried).fill({ kind: "approval.decided", runId: "r", carriedFrom: "a" }),
    ...[{ kind: "approval.delivered", runId: "r" } as const, resumed, receipt()],
  ];
  const proof = [...remembered, user("Plums. ALLOWED")];
  const problems = (said: Said[], more: Partial<Seen> = {}) =>
    judge(seen(said, { phase: "permission" }, { struck: 1, proof, ...more })).problems;

  test("is asked once, and its answer is carried to the repeated question", () => {
    expect(problems(question(1))).toEqual([]);
  });

  test.for<[string, Said[], Partial<Seen>]>([
    ["asked 2 times", question(1, 2), {}],
    ["carried 0 times", question(0), {}],
    ["another one", question(1), { isSameQuestion: false }],
  ])("%s is a problem", ([problem, said, more]) => {
    expect(problems(said, more).join()).toContain(problem);
  });
});
