import {
  type Event,
  type EventBody,
  emptyState,
  emptyTranscript,
  foldAll,
  messageView,
  transcriptOf,
  visible,
  visibleLine,
} from "@holdfast/protocol";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hostile, isRaw } from "../../test/hostile.ts";
import { samples, stamped, withText } from "../../test/sample-events.ts";
import { paint } from "../output/print.ts";
import { plain } from "../output/words.ts";
import { questionLines } from "./question-lines.ts";
import { emptyView, type Piece, render, type View } from "./render.ts";
import { type Opened, openTranscript } from "./transcript-lines.ts";

const run = { runId: "run_1", attempt: 1 } as const;
const started: EventBody = {
  kind: "run.started",
  runId: "run_1",
  messageId: "msg_1",
  epoch: 1,
  bootId: "boot_1",
  model: null,
};
const said = (text: string): EventBody => ({ kind: "text.appended", ...run, text });
const tool = (toolCallId: string, output: string): EventBody[] => [
  {
    kind: "tool.started",
    ...run,
    toolCallId,
    name: "bash",
    input: { command: "npm test" },
    gated: false,
  },
  { kind: "tool.finished", ...run, toolCallId, status: "completed", output },
];
const asked: EventBody = {
  kind: "approval.requested",
  ...run,
  approvalId: "appr_1",
  toolCallId: "t9",
  toolName: "bash",
  digest: "d",
  askedBy: null,
  input: { command: "npm publish" },
};
const waits: EventBody = {
  kind: "run.waiting",
  runId: "run_1",
  waitId: "wait_1",
  waitKind: "human",
  epoch: 1,
  approvalId: "appr_1",
  resumeTokenId: null,
  deadlineAt: null,
};
const allowed: EventBody = {
  kind: "approval.decided",
  runId: "run_1",
  approvalId: "appr_1",
  decision: "allow",
  by: "phone",
};
const completed: EventBody = { kind: "run.completed", runId: "run_1", stopReason: "end_turn" };

const story = stamped([
  {
    kind: "session.created",
    sessionId: "sess_1",
    tenant: "local",
    title: "Fix it",
    agentName: "demo",
    model: null,
    workspace: { kind: "empty", path: null, branch: null },
    isolation: "none",
    policy: {},
  },
  { kind: "message.user", messageId: "msg_1", content: "Fix it\nplease" },
  started,
  { kind: "attempt.started", ...run, epoch: 1, cause: "prompt", way: "prompt" },
  { kind: "thinking.appended", ...run, text: "hm" },
  { kind: "thinking.appended", ...run, text: " hm" },
  said("I will "),
  said("look.\nFirst"),
  said(" this"),
  ...tool("t1", "1\n2\n3\n4\n5\n"),
  said("Now that"),
  asked,
  waits,
  allowed,
  ...tool("t9", ""),
  said("Done."),
  { kind: "usage.reported", ...run, inputTokens: 10, outputTokens: 5 },
  completed,
]);

function renderAll(
  events: Iterable<Event>,
  from: View = emptyView,
): { view: View; pieces: Piece[] } {
  let view = from;
  const pieces: Piece[] = [];
  for (const event of events) {
    const next = render(view, event);
    view = next.view;
    pieces.push(...next.pieces);
  }
  return { view, pieces };
}

function textOf(pieces: readonly Piece[]): string {
  return pieces.map(linesOf).join("");
}

function linesOf(piece: Piece): string {
  if (piece.type === "answer") return visible(piece.text);
  const lines = piece.type === "note" ? [piece.words] : questionLines(piece.question);
  return lines.map((words) => `${visibleLine(plain(words))}\n`).join("");
}

const answersOf = (pieces: readonly Piece[]) =>
  pieces.map((piece) => (piece.type === "answer" ? piece.text : "")).join("");

describe("a story", () => {
  test("reads like one", () => {
    expect(textOf(renderAll(story).pieces)).toBe(
      [
        "› Fix it",
        "  please",
        "· thinking …",
        "I will look.",
        "First this",
        "▸ $ npm test",
        "✓ $ npm test  1 s",
        "    … 2 lines before",
        "    3",
        "    4",
        "    5",
        "Now that",
        "? needs you: Run a command",
        "    $ npm publish",
        "✓ allowed once by phone",
        "▸ $ npm test",
        "✓ $ npm test  1 s",
        "Done.",
        "✓ done  10 tokens in, 5 out",
        "",
      ].join("\n"),
    );
  });

  test("tells that its folder was lost", () => {
    const lost = (["gone", "emptied"] as const).map(
      (what): EventBody => ({ kind: "workspace.lost", what }),
    );
    expect(textOf(renderAll(stamped(lost)).pieces)).toBe(
      [
        "✗ the agent's folder was gone, with everything in it",
        "✗ the agent's folder was empty, although it had contained files",
        "",
      ].join("\n"),
    );
  });

  test("says when a run continues: not after a cancel that closed its question, nor from the start", () => {
    const goesOn: EventBody = { kind: "run.resumed", runId: "run_1", waitId: "wait_1", by: "me" };
    const cancel: EventBody = { kind: "run.cancel_requested", runId: "run_1", by: "me" };
    const again = { ...started, runId: "run_2", continues: "run_1" };
    const texts = [
      [started, allowed, goesOn],
      [started, cancel, goesOn],
      [{ ...again, from: "start" as const }],
      [{ ...again, from: "error" as const }],
    ].map((events) => textOf(renderAll(stamped(events)).pieces));
    expect(texts).toEqual([
      "✓ allowed once by phone\n· the run continues\n",
      "· stopping …\n",
      "· runs the last message again, from the start\n",
      "· continues the earlier work\n",
    ]);
  });

  test("is printed once, however often events repeat", () => {
    const whole = renderAll(story);
    const overlaps = fc.array(fc.tuple(fc.nat(story.length), fc.nat(story.length)));
    fc.assert(
      fc.property(overlaps, (cuts) => {
        let { view, pieces } = renderAll([]);
        // Replays with overlap, as after reconnects: events repeat, but none is skipped.
        for (const [back, forth] of cuts) {
          const next = renderAll(story.slice(Math.max(0, view.seq - back), view.seq + forth), view);
          view = next.view;
          pieces = [...pieces, ...next.pieces];
        }
        const rest = renderAll(story, view);
        expect([...pieces, ...rest.pieces]).toEqual(whole.pieces);
      }),
    );
  });

  test("continues from its transcript at any seq, without a word lost or repeated", () => {
    const words = answersOf(renderAll(story).pieces);
    for (let seq = 1; seq <= story.length; seq++) {
      const { view, pieces } = openTranscript(openAt(seq), Date.now());
      const rest = renderAll(story, view).pieces;
      expect([seq, answersOf([...pieces, ...rest])]).toEqual([seq, words]);
    }
  });

  test("has its open question before and after it is opened again", () => {
    const question = { approvalId: "appr_1", runId: "run_1", name: "bash", digest: "d" };
    const upTo = story.findIndex(({ kind }) => kind === "run.waiting") + 1;
    for (const view of [
      renderAll(story.slice(0, upTo)).view,
      openTranscript(openAt(upTo), 0).view,
    ]) {
      expect(view.questions).toMatchObject([question]);
      expect(render(view, story[upTo] as Event).view.questions).toEqual([]);
    }
  });
});

test("a transcript shows each recovery at its position: within text, between calls and after an outcome", () => {
  const receipt = (fact: string): EventBody => ({
    kind: "receipt.issued",
    receiptId: "rcpt_1",
    runId: "run_1",
    rung: "native",
    ms: 310,
    kept: [fact],
    lost: [],
    maybeTwice: ["make (t1)"],
    evidence: { grade: "verified" },
  });
  const cut: EventBody = {
    kind: "run.interrupted",
    runId: "run_1",
    reason: "process_exit",
    bootId: "boot_1",
  };
  const events = stamped([
    { kind: "message.user", messageId: "msg_1", content: "Go" },
    ...[started, said("Before the cut."), receipt("one"), said(" After it."), ...tool("t1", "")],
    ...[receipt("two"), cut, receipt("three")],
  ]);
  const { messages, receipts } = transcriptOf(events, emptyTranscript);
  const opened = {
    seq: events.length,
    earlier: 0,
    state: emptyState,
    messages,
  } as unknown as Opened;
  const ranAgain = [{ toolCallId: "t1", name: "make", firstCallId: "t0", exact: true }];
  const listed = receipts.map((receipt, i) => (i === 1 ? { ...receipt, ranAgain } : receipt));
  const lines = textOf(openTranscript(opened, 0, listed).pieces).split("\n");
  const told = (fact: string) => [
    "⌁ Agent restarted from its own saved session in 310 ms. Memory of finished work verified.",
    ...[`⌁ kept: ${fact}`, "⌁ may have run twice: make (t1)"],
  ];
  expect(lines.slice(1)).toEqual([
    ...["Before the cut.", ...told("one"), " After it.", "✓ $ npm test", ...told("two")],
    "⌁ ran again: make, with the same input as before",
    ...["! interrupted (the agent's process stopped)", ...told("three"), ""],
  ]);
});

test("an interruption names the process that ended, live and in the transcript", () => {
  const events = stamped([
    { kind: "message.user", messageId: "msg_1", content: "Go" },
    { kind: "holder.launched", holderId: "hold_1", epoch: 1 },
    started,
    { kind: "holder.exited", holderId: "hold_1", reason: "process_exit" },
    { kind: "run.interrupted", runId: "run_1", reason: "process_exit", bootId: "boot_1" },
  ]);
  const words = "! interrupted (the agent's parent process stopped, and the agent with it";
  expect(textOf(renderAll(events).pieces)).toContain(words);
  const { view, pieces } = openTranscript(openAt(events.length, events), 0);
  expect(textOf(pieces)).toContain(words);
  expect(view.agentEnd).toBe("holder_gone");
});

test("a denied call is shown as denied, even if its agent reports it as completed", () => {
  const [begun, over] = tool("t9", "written") as [EventBody, EventBody];
  const denied = { ...allowed, decision: "deny" } as EventBody;
  const events = stamped([...story.slice(0, 4), begun, asked, waits, denied, over]);
  const inTranscript = (upTo: number) => openTranscript(openAt(upTo, events), 0);
  const mark = "✗ denied $ npm test";
  expect(textOf(renderAll(events).pieces)).toContain(mark);
  expect(textOf(inTranscript(9).pieces)).toContain(mark);
  // Opened before the answer, and between the answer and the agent's report.
  for (const upTo of [7, 8]) {
    expect(textOf(renderAll(events, inTranscript(upTo).view).pieces)).toContain(mark);
  }
});

test("the time of a call leaves out its wait for an answer", () => {
  const [begun, over] = tool("t9", "") as [EventBody, EventBody];
  // Events are a second apart: the call ends 4 s after its start, and 1 s after its answer.
  const told = stamped([begun, asked, waits, allowed, over]);
  expect(textOf(renderAll(told).pieces)).toContain("✓ $ npm test  1 s");
  const cut = { ...over, status: "not_started", synthetic: true } as EventBody;
  expect(textOf(renderAll(stamped([begun, asked, waits, cut])).pieces)).toMatch(/npm test\n$/);
  const messages = transcriptOf(stamped([started, ...told.slice(0, 4)]), emptyTranscript).messages;
  const opening = { seq: 5, state: emptyState, messages: messages.map(messageView), earlier: 0 };
  expect(openTranscript(opening, 0).view.tools.get("t9")?.startedAt).toBe("");
});

test("a transcript says who denied a call, and why", () => {
  const [begun, over] = tool("t9", "written") as [EventBody, EventBody];
  const denied = { ...allowed, decision: "deny", reason: "not today" } as EventBody;
  const events = stamped([...story.slice(0, 4), begun, asked, waits, denied, over]);
  for (const upTo of [8, 9]) {
    const lines = textOf(openTranscript(openAt(upTo, events), 0).pieces).split("\n");
    const at = lines.findIndex((line) => line.includes("$ npm test"));
    expect(lines[at + 1]?.trim()).toBe("denied by phone: not today");
  }
  const plain = stamped([...story.slice(0, 4), begun, asked, waits, allowed, over]);
  expect(textOf(openTranscript(openAt(9, plain), 0).pieces)).not.toContain("phone");
});

/** The host's transcript reply at this point of the story. */
function openAt(seq: number, all: readonly Event[] = story): Opened {
  const events = all.slice(0, seq);
  const { messages } = transcriptOf(events, emptyTranscript);
  return {
    seq,
    earlier: 0,
    state: foldAll(events, emptyState),
    messages: messages.map(messageView),
  };
}

describe("a question", () => {
  test("that a rule answers at once is not printed", () => {
    const byRule = { ...allowed, ruleId: "rule_1" } as EventBody;
    const { pieces, view } = renderAll(stamped([started, asked, byRule]));
    expect(textOf(pieces)).toBe("✓ allowed once by a rule\n");
    expect(view.questions).toEqual([]);
  });

  test("says that exactly this was allowed before and ran", () => {
    const before = { approvalId: "appr_0", decision: "allow", reason: "files_unknown" };
    const again = { ...asked, askedAgain: { ...before, ran: "yes" } } as EventBody;
    expect(textOf(renderAll(stamped([started, again, waits])).pieces)).toContain(
      "    You allowed exactly this before, and it ran. Allowing it runs it again.\n",
    );
  });

  test("is printed with its exact input, in one order, and says when it changed", () => {
    const input = { z: 1, script: "x".repeat(80), a: ["\u202e", "\u001b[2J"] };
    const changed = { ...asked, input, changedFrom: "appr_0" } as EventBody;
    expect(textOf(renderAll(stamped([started, changed, waits])).pieces)).toBe(
      [
        "? needs you: bash",
        "    This differs from the request that you answered before.",
        "    {",
        '      "a": [',
        '        "\\u202e",',
        '        "\\u001b[2J"',
        "      ],",
        `      "script": "${"x".repeat(80)}",`,
        '      "z": 1',
        "    }",
        "",
      ].join("\n"),
    );
  });

  test("that is withdrawn is no longer open", () => {
    const gone: EventBody = {
      kind: "approval.withdrawn",
      runId: "run_1",
      approvalId: "appr_1",
      reason: "cancelled",
    };
    expect(renderAll(stamped([started, asked, waits, gone])).view.questions).toEqual([]);
  });
});

test("hostile text in any string of any event reaches no terminal raw, and forges no line [P41]", () => {
  let shown = 0;
  for (const body of samples) {
    // The preceding question, so that events that refer to it print its name.
    const before = body.kind === "run.waiting" || body.kind.startsWith("approval") ? [asked] : [];
    for (const text of hostile) {
      for (const changed of withText(body, text)) {
        const { pieces } = renderAll(stamped([started, ...before, changed, changed]));
        const printed = textOf(pieces);
        expect([body.kind, isRaw(printed)]).toEqual([body.kind, false]);
        // A note is always one line, so only the agent's own text can start lines of its own.
        const notes = pieces.filter(({ type }) => type === "note").map(linesOf);
        expect(notes.every((line) => line.indexOf("\n") === line.length - 1)).toBe(true);
        if (printed !== "") shown++;
      }
    }
  }
  expect(samples.length).toBeGreaterThan(60);
  expect(shown).toBeGreaterThan(5000);
});

test("late output of a cancelled run is shown with it, and output between turns ends no run", () => {
  const cancelled: EventBody = { kind: "run.cancelled", runId: "run_1", reason: "user" };
  const late: EventBody = { kind: "agent.spoke", text: "late" };
  const completed: EventBody = { kind: "run.completed", runId: "run_1", stopReason: "end_turn" };
  const shown = (...bodies: EventBody[]) => {
    const { messages } = transcriptOf(stamped([started, ...bodies]), emptyTranscript);
    const opened = { seq: 9, state: emptyState, messages: messages.map(messageView), earlier: 0 };
    return textOf(openTranscript(opened, 0).pieces);
  };
  expect(shown(cancelled, late)).toBe("late\n✗ cancelled\n");
  expect(shown(completed, late)).toBe("✓ done\nlate\n");
  expect(textOf(renderAll(stamped([started, completed, late])).pieces)).toBe("✓ done\nlate");
});

describe("content too long for an event", () => {
  const hash = "ab".repeat(32);
  const blob = { hash, bytes: 2_100_000 };
  const rest = `    show all 2.1 MB: holdfast show sess_1 --blob ${hash}\n`;
  const at: View = { ...emptyView, session: "sess_1" };
  const message = { messageId: "msg_1", content: "Long", by: "user", clientId: null, model: null };
  const [began, ended] = tool("t1", "the end") as [EventBody, EventBody];

  test.each([
    ["a message", { kind: "message.user", ...message, blob }],
    ["a queued message", { kind: "message.queued", ...message, urgent: false, blob }],
    ["a tool's input", { ...began, blob }],
    ["a tool's output", { ...ended, blob }],
    ["a part", { kind: "part.added", ...run, part: { type: "blob", preview: "", ...blob } }],
  ])("%s comes with the command that shows all of it", (_, body) => {
    const told = textOf(renderAll(stamped([body as EventBody]), at).pieces);
    expect(told.endsWith(rest)).toBe(true);
    const state = { ...emptyState, id: "sess_1" };
    // A finished tool call needs its start.
    const events = stamped([
      started,
      ...(body.kind === "tool.finished" ? [began] : []),
      body as EventBody,
    ]);
    const messages = transcriptOf(events, emptyTranscript).messages.map(messageView);
    const opened = openTranscript({ seq: 2, state, messages, earlier: 0 }, 0);
    const isQueued = body.kind === "message.queued";
    expect(textOf(opened.pieces).includes(rest)).toBe(!isQueued);
  });

  test("a tool that ran when it was opened says how long it took", () => {
    const events = stamped([started, began]);
    const messages = transcriptOf(events, emptyTranscript).messages.map(messageView);
    const state = { ...emptyState, id: "sess_1" };
    const { view } = openTranscript({ seq: 2, state, messages, earlier: 0 }, 0);
    expect([...view.tools.values()].map(({ startedAt }) => startedAt)).toEqual([events[1]?.ts]);
  });

  test("prints no command for a forged hash [P41]", () => {
    for (const made of ["$(reboot)", `${hash};reboot`, `${hash}\n`, ""]) {
      const part = { type: "blob", hash: made, bytes: 1 };
      const body = { kind: "part.added", ...run, part } as EventBody;
      expect(textOf(renderAll(stamped([body]), at).pieces)).not.toContain("holdfast");
    }
  });
});

test("an unknown event kind is skipped", () => {
  const event = { seq: 9, ts: "", kind: "constructor" } as unknown as Event;
  expect(render(emptyView, event)).toEqual({ view: { ...emptyView, seq: 9 }, pieces: [] });
});

test("a question shows all that would run, in one order, with what is hidden made visible [S13]", () => {
  const command = Array.from({ length: 60 }, (_, n) => `echo ${n}`).join(" && ");
  const input = { z: "last", command: `${command} \u202e\u001b[2K\r`, argv: ["rm", "-rf", "a b"] };
  const question = {
    approvalId: "appr_1",
    runId: "run_1",
    toolCallId: "t1",
    name: "Bash",
    digest: "d",
    input,
  };
  const shown = questionLines(question)
    .map((line) => paint(line, false))
    .join("\n");
  expect(shown).toContain("echo 0 && echo 1");
  expect(shown).toContain("echo 59");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for control characters.
  expect(shown).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
  expect(shown).toContain("\\u202e");
  const { command: _drawn, ...rest } = input;
  expect(JSON.parse(shown.slice(shown.indexOf("{")))).toEqual(rest);
  expect(shown.indexOf('"argv"')).toBeLessThan(shown.indexOf('"z"'));
});

test("a question too large for its event is put as its beginning, never as if that were all [S13]", () => {
  const blob = { hash: "a".repeat(64), bytes: 1_200_000 };
  const { view } = render({ ...emptyView, session: "sess_1" }, {
    seq: 1,
    ts: "",
    kind: "approval.requested",
    runId: "run_1",
    attempt: 1,
    approvalId: "appr_1",
    toolCallId: "t",
    toolName: "Write",
    digest: "d",
    askedBy: null,
    input: { type: "unreadable" },
    inputBlob: blob,
    inputPreview: '{"content":"first words',
  } as Event);
  const question = view.asked.get("appr_1");
  const shown = (question === undefined ? [] : questionLines(question))
    .map((line) => paint(line, false))
    .join("\n");
  expect(shown).toMatch(/too large to show here \(1\.\d MB\)/);
  expect(shown).toContain('{"content":"first words…');
  expect(shown).toContain(`show sess_1 --blob ${blob.hash}`);
});

test("a restart of the host is told once, in words that say what it means for the work", () => {
  const adopted: EventBody = { kind: "run.adopted", runId: "run_1", epoch: 2, bootId: "boot_2" };
  const resumed = { ...samples.find(({ kind }) => kind === "session.resumed"), rung: "adopted" };
  const { pieces } = renderAll(stamped([started, adopted, resumed as EventBody]));
  expect(textOf(pieces)).toBe("⌁ Host restarted. Nothing was lost.\n");
});

test("another attempt is called a retry only after a transient failure", () => {
  const next = (cause: "transient" | "answered" | "resumed"): EventBody => {
    return {
      kind: "attempt.started",
      runId: "run_1",
      attempt: 2,
      epoch: 1,
      cause,
      way: "continue",
    };
  };
  const said = (cause: Parameters<typeof next>[0]) =>
    textOf(renderAll(stamped([started, next(cause)])).pieces);
  expect(said("transient")).toBe("· trying again\n");
  expect([said("answered"), said("resumed")]).toEqual(["", ""]);
});
