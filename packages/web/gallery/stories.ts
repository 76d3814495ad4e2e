/** The sessions of the gallery, each written as a journal and folded by the product's code. */

import {
  type ApprovalOption,
  type ApprovalView,
  askerStopped,
  type Event,
  type EventBody,
  type EventOf,
  type Json,
  pauseWords,
  requestOf,
  requestTitle,
  transcriptOf,
} from "@holdfast/protocol";
import type { Decision } from "../src/components/decision/decision-tray.tsx";
import type { SessionShown } from "../src/components/session/session-screen.tsx";
import type { Broken } from "../src/components/side-pane/break-it.tsx";
import { awayBand } from "../src/line/away.ts";
import { type Row, rowsOf, type Story } from "../src/line/rows.ts";
import { within } from "../src/words/tool.ts";
import * as big from "./big-things.ts";
import * as f from "./fixtures.ts";

export type Facts = readonly (readonly [number, EventBody])[];

export function rows(facts: Facts, change: Partial<Story> = {}): readonly Row[] {
  const events = f.journal(...facts);
  const { messages, receipts } = transcriptOf(events);
  const now = { isHeard: true, isEnded: false, isDismissed: false };
  const story = { messages, receipts, earlier: 0, run: f.runOf(), away: null, ...now };
  return rowsOf({ ...story, ...change });
}

/** The seq of the first receipt, by which a picture opens it. */
export function openReceipt(facts: Facts): number | null {
  return f.journal(...facts).find(({ kind }) => kind === "receipt.issued")?.seq ?? null;
}

export const base: SessionShown = {
  session: f.session(),
  rows: [],
  now: f.NOW,
  connection: { state: "live", via: "socket" },
  isOnline: true,
  decision: null,
  answered: null,
  banner: null,
  recovering: null,
  paused: null,
  isBusy: false,
  problem: null,
  queue: [],
  outbox: [],
  draft: "",
  stop: "none",
  sending: "start",
  isSideOpen: false,
};

export type Shown = Partial<SessionShown> & { readonly openSplice?: number | null };

const midway: Facts = [...f.work, [12, f.plan(2)], [10, f.said(f.answer.slice(0, 330))]];
const unheard = rows(midway, { isHeard: false });
export const streaming: Shown = {
  rows: rows(midway),
  stop: "can",
  sending: "queue",
};

const testRun: Facts = [
  [30, f.tool("t4", "npm test", { command: "npm test" })],
  [
    29,
    f.printed(
      "t4",
      "\n> harbour@2.3.1 test\n> node --test\n\n✔ signs with the current key (1.2ms)\n",
    ),
  ],
  [8, f.printed("t4", "✔ verifies a token of the key before (0.8ms)\n")],
  [2, f.printed("t4", "▶ rotation\n  ✔ drops keys after an hour (3.1ms)\n")],
];
export const toolRunning: Shown = {
  rows: rows([...f.work, [40, f.plan(2)], ...testRun]),
  stop: "can",
};

const ended = { status: "idle" } as const;
export const finished: Shown = {
  session: f.session(ended),
  rows: rows(
    [
      ...f.work,
      [40, f.plan(3)],
      ...testRun,
      [1, f.gave("t4", "41 tests passed")],
      [1, f.said(f.answer)],
      [0, f.done],
    ],
    { run: f.runOf({ status: "completed", outcome: "completed", completedAt: f.at(0) }) },
  ),
};

const asking: Facts = [
  ...f.work,
  [40, f.said("The tests pass. I publish the new version so that the gateway can take it up.\n")],
  [31, f.tool("t9", "Run", { command: "npm publish --access public --tag next" })],
  [
    30,
    {
      kind: "approval.requested",
      runId: f.RUN,
      attempt: 1,
      approvalId: f.approval().id,
      toolCallId: "t9",
      toolName: "Run",
      input: f.approval().toolInput,
      digest: f.approval().digest,
      askedBy: null,
    },
  ],
];
const question: Decision = {
  approval: f.approval(),
  request: requestOf(f.approval()),
  folder: "/home/ada/harbour",
  title: "Run a command",
  where: "claude-code in harbour on rotate-keys",
  why: "The tests pass. I publish the new version so that the gateway can take it up.",
  askedAt: f.at(30),
  isUnconfined: true,
  earlier: null,
  asker: null,
  place: { n: 1, of: 2 },
  given: null,
};
export const deciding: Shown = {
  session: f.session({ status: "waiting" }),
  rows: rows(asking, { run: f.runOf({ status: "awaiting_approval" }) }),
  draft: "wait, use",
  stop: "can",
  sending: "queue",
  decision: question,
};

export const askerGone: Shown = { ...deciding, decision: { ...question, asker: askerStopped } };

/** The same view with another question. */
function asked(
  input: Json,
  why: string,
  options: readonly ApprovalOption[] = [],
  change: Partial<ApprovalView> = {},
): Shown {
  const approval = f.approval({ ...change, toolInput: input, options: [...options] });
  const request = requestOf(approval);
  const call = { name: approval.toolName, input: approval.toolInput };
  const title = within(requestTitle(request, call), "/home/ada/harbour");
  const place = { n: 1, of: 1 };
  return {
    ...deciding,
    decision: { ...question, approval, request, why, place, title },
  };
}

export const heredoc = asked(
  { command: f.heredocText, description: "Write the migration and run it", timeout: 600_000 },
  "The orders table needs an index. I write the migration and run it.",
);
export const planAsked = asked({ plan: f.planText }, "Here is what I would do.", f.planOptions);
export const edited = asked(
  { file_path: "/home/ada/harbour/src/auth/token.ts", ...f.editStrings },
  "Tokens must live for an hour only.",
);
export const fetching = asked(
  { url: "https://registry.example.org/harbour/latest?full=1", prompt: "What is the version?" },
  "I look up the last version.",
);
export const choosing = asked(
  {
    questions: [
      {
        question: "Which database should the tests use?",
        options: [
          { label: "SQLite", description: "fast, in memory" },
          { label: "Postgres", description: "as in production, needs Docker" },
        ],
      },
    ],
  },
  "I need to know before I write the fixtures.",
  [
    { id: "1", kind: "allow_once", name: "SQLite" },
    { id: "2", kind: "allow_once", name: "Postgres" },
    { id: "3", kind: "reject_once", name: "Neither" },
  ],
);
export const tooLarge = asked({ type: "unreadable", reason: "larger than 196608 bytes" }, "", [], {
  inputBlob: { hash: "ab", bytes: 20_971_520 },
  inputPreview: `{"content":"${"0123456789abcdef ".repeat(200)}`,
});
export const askedAgain: Shown = {
  ...deciding,
  decision: {
    ...question,
    earlier: {
      input: { ...(f.approval().toolInput as object), command: "npm publish --access public" },
      reason: "This differs from the request that you answered before. What changed:",
      files: [],
    },
  },
};

export const decidedOffline: Shown = {
  ...deciding,
  decision: {
    ...question,
    given: { decision: "allow", reason: null, option: null, n: 2, state: "waiting" },
  },
  outbox: f.outbox.slice(1),
  isOnline: false,
  connection: { state: "away", reason: "no network", retryInMs: 4000 },
};

/** The connection was lost while the outbox items were being sent. */
export const unsure: Shown = {
  ...decidedOffline,
  decision: {
    ...question,
    given: { decision: "allow", reason: null, option: null, n: 2, state: "unsure" },
  },
  outbox: f.outbox.map((item) => ({ ...item, mayHaveArrived: true })),
};

const refusedCall: EventBody = {
  kind: "approval.decided",
  runId: f.RUN,
  approvalId: f.approval().id,
  decision: "deny",
  by: "Pixel 9",
  reason: "Not before the release notes are done.",
};
export const denied: Shown = {
  session: f.session(ended),
  rows: rows(
    [
      ...asking,
      [4, refusedCall],
      [3, f.gave("t9", "The user said no.", "failed")],
      [2, f.said("I leave it unpublished, then.")],
      [0, f.done],
    ],
    { run: f.runOf({ status: "completed", outcome: "completed", completedAt: f.at(0) }) },
  ),
};

export const answered: Shown = {
  rows: rows([
    ...asking,
    [
      3,
      {
        kind: "approval.decided",
        runId: f.RUN,
        approvalId: f.approval().id,
        decision: "allow",
        by: "Pixel 9",
      },
    ],
    [2, f.printed("t9", "npm notice package: harbour@2.4.0\nnpm notice total files: 41\n")],
  ]),
  answered: {
    approval: f.approval({ decision: "allow", by: "Pixel 9" }),
    title: "Run npm publish --access public --tag next",
    unsent: "Publish it as beta, not next",
  },
  stop: "can",
  sending: "queue",
};

const overloaded = "The model answered 529 four times; it is overloaded.";
const failure: EventBody = {
  kind: "run.failed",
  runId: f.RUN,
  error: { code: "overloaded", message: overloaded },
};
export const failed: Shown = {
  session: f.session({ ...ended, happening: { kind: "failed", text: overloaded } }),
  rows: rows([...f.work, [14, f.said(f.answer.slice(0, 168))], [2, failure]], {
    run: f.runOf({ status: "error", outcome: "failed", completedAt: f.at(2) }),
  }),
};

export const cancelled: Shown = {
  session: f.session(ended),
  rows: rows(
    [
      ...f.work,
      [14, f.said(f.answer.slice(0, 168))],
      [3, { kind: "run.cancelled", runId: f.RUN, reason: "asked" }],
    ],
    { run: f.runOf({ status: "cancelled", outcome: "cancelled", completedAt: f.at(3) }) },
  ),
};

const asleep = (pausedReason: keyof typeof pauseWords, facts: Facts): Shown => ({
  session: f.session({
    lifecycle: "paused",
    status: pausedReason === "waiting" ? "waiting" : "running",
  }),
  rows: rows(facts, { run: f.runOf({ status: "paused", isPaused: true, pausedReason }) }),
  paused: {
    is: "run",
    why: pauseWords[pausedReason],
    canResume: true,
    hindrance: null,
    nextRung: "native",
  },
  stop: "can",
  sending: "resume",
});
export const frozen: Shown = { ...deciding, ...asleep("waiting", asking), draft: "" };
export const parked: Shown = asleep("explicit", [
  ...f.work,
  [40, f.said("Keys now have an id. Next I")],
]);

const cut: EventBody = {
  kind: "run.interrupted",
  runId: f.RUN,
  reason: "process_restart",
  bootId: "boot_2",
};
const interruptedRun = f.runOf({
  status: "interrupted",
  outcome: "interrupted",
  completedAt: f.at(260),
});
export const brokenOff: Facts = [
  ...f.work,
  [262, f.said("Keys now have an id, and a token says which key signed it. Next I")],
  [260, cut],
];
const down = { status: "interrupted_startup", lifecycle: "paused" } as const;
export const interrupted: Shown = {
  session: f.session(down),
  sending: "leave",
  rows: rows(brokenOff, { run: interruptedRun }),
  banner: {
    reason: "process_restart",
    at: f.at(260),
    nextRung: "native",
    notice: null,
    canContinue: true,
    facts: {
      head: "3f2a91c07b",
      branch: "rotate-keys",
      dirty: ["src/auth/token.ts", "src/auth/keys.ts", "test/rotation.test.ts"],
    },
  },
};

export const dismissed: Shown = {
  session: f.session(ended),
  rows: rows(brokenOff, { run: interruptedRun, isDismissed: true }),
};

export const over: Shown = {
  ...finished,
  session: f.session({ ...ended, lifecycle: "ended" }),
  sending: "ended",
};

export const recovering: Shown = {
  session: f.session(down),
  rows: rows(brokenOff, { run: interruptedRun }),
  recovering: {
    steps: [
      { words: "A new process was started", is: "done" },
      {
        words: "The agent’s saved session could not be loaded: it knows no session of that id",
        is: "missed",
      },
    ],
    now: "Starting a new agent session",
  },
};

const resumed = (
  rung: "adopted" | "native" | "restored",
  ms: number,
  grade: "verified" | null,
): EventBody => ({
  kind: "session.resumed",
  rung,
  ms,
  grade,
  epoch: 4,
  bootId: "boot_2",
});
export const receipt: EventOf<"receipt.issued"> = {
  kind: "receipt.issued",
  receiptId: "rcpt_1",
  runId: f.RUN,
  rung: "native",
  ms: 310,
  kept: [
    "the whole conversation: 1 message of yours, 1 answer of the agent",
    "the workspace: 3 files changed and not committed",
    "the agent's own memory, checked against the journal",
  ],
  lost: [],
  maybeTwice: ["npm run migrate: it had begun, and nobody heard its end"],
  evidence: { grade: "verified", head: "3f2a91c07b55", dirty: ["a", "b", "c"] },
};
export const second = "run_00000000000000000000000000000002";
export const wentOn: Facts = [
  [39, f.started(1, f.RUN)],
  [
    30,
    {
      kind: "text.appended",
      runId: second,
      attempt: 1,
      text: "I was about to drop the keys that are too old. The edit to `token.ts` is on disk, so I go on with `keys.ts`.\n",
    },
  ],
];
const back: Facts = [
  ...brokenOff,
  [42, resumed("native", 310, "verified")],
  [41, receipt],
  ...wentOn,
];
export const spliced: Shown = {
  rows: rows(back, { run: f.runOf({ id: second, continues: f.RUN }) }),
  openSplice: openReceipt(back),
  stop: "can",
};

/** A restarted agent that began its turn again. */
const migrated: Facts = [
  [300, f.asked("Rotate the signing keys.")],
  [299, f.started()],
  [298, f.tool("m1", "npm run migrate", { command: "npm run migrate" })],
  [290, f.gave("m1", "2 migrations")],
  [42, resumed("native", 310, "verified")],
  [41, { ...receipt, maybeTwice: [] }],
  [40, f.tool("m2", "npm run migrate", { command: "npm run migrate" })],
  [30, f.gave("m2", "0 migrations")],
];
export const ranAgain: Shown = {
  rows: rows(migrated),
  openSplice: openReceipt(migrated),
  stop: "can",
};

const adoption: EventBody = {
  kind: "receipt.issued",
  receiptId: "rcpt_2",
  runId: f.RUN,
  rung: "adopted",
  ms: 40,
  kept: ["everything; the agent kept working without the host"],
  lost: [],
  maybeTwice: [],
  evidence: { grade: null },
};
/** Two adoptions: one between two calls, one in the middle of an answer. */
export const adopted: Shown = {
  rows: rows([
    ...f.work.slice(0, 9),
    [285, adoption],
    ...f.work.slice(9),
    [14, f.said(f.answer.slice(0, 168))],
    [12, adoption],
    [10, f.said(f.answer.slice(168, 330))],
  ]),
  stop: "can",
  sending: "queue",
};

const meanwhile: Facts = [
  [120, f.asked("Now the same for the refresh tokens.", 1)],
  [119, f.started(1)],
  [
    110,
    {
      kind: "text.appended",
      runId: second,
      attempt: 1,
      text: "The refresh tokens use the same two functions, so they rotate already. I add a test that says so, and a note in the README.\n",
    },
  ],
  [
    100,
    {
      kind: "tool.started",
      runId: second,
      attempt: 1,
      toolCallId: "u1",
      name: "Edit test/refresh.test.ts",
      input: { path: "test/refresh.test.ts" },
      gated: false,
    },
  ],
  [
    99,
    {
      kind: "part.added",
      runId: second,
      attempt: 1,
      part: { type: "diff", path: "test/refresh.test.ts", oldText: "", newText: "a\n" },
    },
  ],
  [
    98,
    {
      kind: "tool.finished",
      runId: second,
      attempt: 1,
      toolCallId: "u1",
      status: "completed",
      output: "",
    },
  ],
  [20, { kind: "run.completed", runId: second, stopReason: "end_turn" }],
];
const seenOf: Facts = [...f.work, [250, f.said("Keys now have an id.\n")], [240, f.done]];
const unseen = f.journal(...seenOf, ...meanwhile).slice(seenOf.length);
export const away: Shown = {
  session: f.session(ended),
  rows: rows([...seenOf, ...meanwhile], {
    run: f.runOf({
      id: second,
      status: "completed",
      outcome: "completed",
      completedAt: f.at(20),
      startedAt: f.at(119),
    }),
    away: awayBand(unseen),
  }),
};

export const catchingUp: Shown = {
  ...streaming,
  connection: { state: "catching_up", behind: 1284, via: "socket" },
};
export const offline: Shown = {
  ...streaming,
  rows: unheard,
  isOnline: false,
  outbox: f.outbox,
  stop: "kept",
  sending: "outbox",
  connection: { state: "away", reason: "no network", retryInMs: 4000 },
};
export const restarting: Shown = {
  ...streaming,
  rows: unheard,
  draft: "And bump the minor version",
  sending: "outbox",
  connection: { state: "away", reason: "the host is restarting", retryInMs: 1000 },
};

export function huge(): Shown {
  const facts: [number, EventBody][] = [
    [9000, f.asked("Rename Widget to Part in every file.")],
    [8999, f.started()],
  ];
  for (let n = 0; n < 5000; n++) {
    const path = `src/parts/part-${n}.ts`;
    facts.push(
      [8000 - n, f.tool(`h${n}`, `Edit ${path}`, { path })],
      [8000 - n, f.gave(`h${n}`, "")],
    );
    facts.push([8000 - n, f.said(`${n + 1} of 5,000 renamed. `)]);
  }
  return { rows: rows(facts), stop: "can" };
}

export const hostile: Shown = {
  session: f.session({ title: "Invoice \u202Efdp.exe\u202C \u001B[31m urgent\nNeeds you: allow" }),
  rows: rows([
    [60, f.asked("Summarise this repository.")],
    [59, f.started()],
    [50, f.said(f.hostileText)],
    [40, f.tool("x1", "Run", { command: "cat notes.txt # \u202Esafe" })],
    [39, f.printed("x1", f.hostileOutput)],
  ]),
  stop: "can",
};

const about = (...facts: Facts): Shown => ({
  session: f.session(ended),
  rows: rows(
    [[60, f.asked("Mend the long file and show me.")], [59, f.started()], ...facts, [1, f.done]],
    {
      run: f.runOf({ status: "completed", outcome: "completed", completedAt: f.at(1) }),
    },
  ),
});
export const bigEdit = about(
  [50, f.tool("b1", "Edit src/long.ts", { file_path: "src/long.ts" })],
  [49, big.longEdit],
  [48, f.gave("b1", "")],
  [47, big.earlierEdit],
);
export const wideTable = about([50, f.said(big.wideTableText)]);
export const rightToLeft = about([50, f.said(big.arabic)]);
export const pictured = about(
  [50, f.tool("b2", "Screenshot", { url: "http://localhost:3000" })],
  [49, big.picture],
  [48, f.gave("b2", "")],
);
export const terminal: Shown = {
  rows: rows([
    [60, f.asked("Run the tests.")],
    [59, f.started()],
    [50, f.tool("b3", "Run", { command: "npm test" })],
    [49, f.printed("b3", big.terminalText)],
  ]),
  stop: "can",
};

const otherFile: EventBody = f.part({
  type: "diff",
  path: "test/rotation.test.ts",
  oldText: null,
  newText: 'test("a token outlives its key by an hour", () => {\n  // …\n});\n',
});
export const changedParts = f
  .messagesOf(f.journal(...f.work, [100, otherFile]))
  .flatMap((m) => m.contentParts);

export const timeline: readonly Event[] = f.journal(
  ...f.work,
  [
    270,
    { kind: "checkpoint.created", checkpointId: "ckpt_1", atSeq: 13, consistent: true, head: null },
  ],
  [268, asking.at(-1)?.[1] ?? f.done],
  [
    264,
    { kind: "approval.decided", runId: f.RUN, approvalId: "a", decision: "allow", by: "Pixel 9" },
  ],
  ...brokenOff.slice(-1),
  [42, resumed("native", 310, "verified")],
  [30, { kind: "session.paused", reason: "explicit" }],
  [20, resumed("adopted", 40, null)],
  [10, { kind: "run.completed", runId: second, stopReason: "end_turn" }],
);

export const broken: readonly Broken[] = [
  {
    what: "agent",
    is: "back",
    words:
      "Agent restarted from its own saved session in 310 ms. Memory of finished work verified.",
  },
  { what: "network", is: "back", words: "back after 10 s" },
  { what: "host", is: "away", words: "waiting for the host to restart" },
];
