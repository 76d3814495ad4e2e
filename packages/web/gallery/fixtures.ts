/** Data for the gallery, made with the protocol's own folds where possible. */

import type { OutboxItem } from "@holdfast/client";
import {
  type AgentView,
  type ApprovalView,
  type DeviceView,
  type Event,
  type EventBody,
  emptyState,
  type Json,
  type Message,
  needKinds,
  type QueuedView,
  type RunSummary,
  type SessionView,
  type SessionWord,
  type StandingRule,
  sessionView,
  transcriptOf,
} from "@holdfast/protocol";
import type { ListItem } from "../src/components/list/session-row.tsx";

export const NOW = Date.parse("2026-11-15T14:12:30.000Z");
export const at = (secondsAgo: number) => new Date(NOW - secondsAgo * 1000).toISOString();

const id = (prefix: string, n: number) => `${prefix}_${n.toString(16).padStart(32, "0")}`;
export const RUN = id("run", 1);
const MESSAGE = id("msg", 100);

/** A journal from pairs of an age in seconds and an event body. */
export function journal(...facts: readonly (readonly [number, EventBody])[]): readonly Event[] {
  return facts.map(([ago, body], i) => ({ seq: i + 1, ts: at(ago), ...body }) as Event);
}

const run = { runId: RUN, attempt: 1 } as const;

export const asked = (content: string, n = 0): EventBody => ({
  kind: "message.user",
  messageId: id("msg", 100 + n),
  content,
});
export const started = (n = 0, continues?: string): EventBody => ({
  kind: "run.started",
  runId: id("run", 1 + n),
  messageId: id("msg", continues === undefined ? 100 + n : 100),
  epoch: 3,
  bootId: id("boot", 1),
  model: null,
  ...(continues === undefined ? {} : { continues }),
});
export const said = (text: string): EventBody => ({ kind: "text.appended", ...run, text });
export const thought = (text: string): EventBody => ({ kind: "thinking.appended", ...run, text });
export const tool = (toolCallId: string, name: string, input: Json): EventBody => ({
  kind: "tool.started",
  ...run,
  toolCallId,
  name,
  input,
  gated: false,
});
export const printed = (toolCallId: string, output: string): EventBody => ({
  kind: "tool.updated",
  ...run,
  toolCallId,
  output,
});
type ToolEnd = Extract<EventBody, { kind: "tool.finished" }>["status"];
export const gave = (
  toolCallId: string,
  output: string,
  status: ToolEnd = "completed",
): EventBody => ({
  kind: "tool.finished",
  ...run,
  toolCallId,
  output,
  status,
});
export const part = (added: Readonly<Record<string, Json>>): EventBody => ({
  kind: "part.added",
  ...run,
  part: added,
});
export const plan = (now: number): EventBody =>
  part({
    type: "plan",
    entries: ["Read the session code", "Make tokens rotate", "Run the tests"].map((content, i) => ({
      content,
      status: i < now ? "completed" : i === now ? "in_progress" : "pending",
    })),
  });
export const used = (inputTokens: number, outputTokens: number): EventBody => ({
  kind: "usage.reported",
  ...run,
  inputTokens,
  outputTokens,
});
export const done: EventBody = { kind: "run.completed", runId: RUN, stopReason: "end_turn" };

const before = `export function sign(user: User): string {
  const expires = Date.now() + DAY;
  return encode({ sub: user.id, expires }, SECRET);
}

export function verify(token: string): Claims {
  return decode(token, SECRET);
}
`;
const after = `export function sign(user: User, keys: Keys): string {
  const expires = Date.now() + HOUR;
  const { id: kid, secret } = keys.current;
  return encode({ sub: user.id, expires, kid }, secret);
}

export function verify(token: string, keys: Keys): Claims {
  const { kid } = peek(token);
  return decode(token, keys.find(kid).secret);
}
`;
export const diff = (toolCallId: string, path = "src/auth/token.ts"): EventBody =>
  part({ type: "diff", path, oldText: before, newText: after, toolCallId });

export const work: readonly (readonly [number, EventBody])[] = [
  [
    312,
    asked("Rotate the signing keys of the session tokens, and keep old tokens valid for an hour."),
  ],
  [311, started()],
  [
    310,
    thought("The tokens are signed in src/auth. I look there first, then at who calls verify."),
  ],
  [309, plan(0)],
  [300, said("I look at how tokens are signed now, and who reads them.\n")],
  [298, tool("t1", "Read src/auth/token.ts", { path: "src/auth/token.ts" })],
  [297, gave("t1", before)],
  [296, tool("t2", "Search", { pattern: "verify\\(", path: "src" })],
  [295, gave("t2", "src/http/session.ts:41\nsrc/http/socket.ts:18\nsrc/auth/token.test.ts:9")],
  [280, plan(1)],
  [279, tool("t3", "Edit src/auth/token.ts", { path: "src/auth/token.ts" })],
  [278, diff("t3")],
  [277, gave("t3", "")],
];

export const answer = `Keys now have an id, and a token says which key signed it:

1. \`sign\` takes the **current** key and writes its id as \`kid\`.
2. \`verify\` looks the key up, so an old token stays good until its key goes.

\`\`\`ts
const keys = rotate(loadKeys(), { every: HOUR });
setInterval(() => keys.advance(Date.now()), MINUTE);
\`\`\`

What is left is to drop keys that are older than an hour; \`src/auth/keys.ts\` does that on every
rotation, so nothing else has to remember it.
`;

/** A session view with the given changes. */
export function session(change: Partial<SessionView> = {}): SessionView {
  const base = sessionView(
    {
      ...emptyState,
      id: id("sess", 1),
      title: "Rotate the session keys",
      agentName: "claude-code",
      workspace: { kind: "path", path: "/home/ada/harbour", branch: "rotate-keys" },
      isolation: "bubblewrap",
      createdAt: at(3600),
      updatedAt: at(2),
      lastMessageAt: at(312),
      seq: 214,
    },
    { epoch: 3 },
  );
  const runtime = { ...base.runtime, state: "live" } as const;
  const view: SessionView = {
    ...base,
    lifecycle: "active",
    status: "running",
    runtime,
    currentRunId: RUN,
    ...change,
  };
  const word = change.word ?? wordFor(view);
  const kind = needKinds.find((one) => one === word);
  const need = kind === undefined ? null : { kind, since: view.lastActiveAt };
  return { ...view, word, need };
}

/** The word that the host would send for such a session. */
function wordFor({ lifecycle, status, runtime, happening }: SessionView): SessionWord {
  if (lifecycle === "ended") return "ended";
  if (status === "waiting") return "waiting";
  if (status !== "running" && status !== "idle") return "interrupted";
  if (runtime.state === "unreachable") return "unreachable";
  if (status === "running") return lifecycle === "paused" ? "paused" : "working";
  if (lifecycle === "creating") return "new";
  return happening?.kind === "failed" ? "failed" : "done";
}

export const paused = { lifecycle: "paused" } as const;
const gone = { runtime: { ...session().runtime, state: "none" } } as const;

export function runOf(change: Partial<RunSummary> = {}): RunSummary {
  return {
    id: RUN,
    sessionId: id("sess", 1),
    messageId: MESSAGE,
    status: "running",
    outcome: null,
    pendingApproval: null,
    sandboxId: null,
    isPaused: false,
    pausedReason: null,
    errorMessage: null,
    inputTokens: 18_432,
    outputTokens: 2_311,
    startedAt: at(311),
    completedAt: null,
    attempt: 1,
    continues: null,
    replyId: null,
    ...change,
  };
}

export const messagesOf = (events: readonly Event[]): readonly Message[] =>
  transcriptOf(events).messages;

export const approval = (change: Partial<ApprovalView> = {}): ApprovalView => ({
  id: id("appr", 1),
  toolUseId: "t9",
  toolName: "Run",
  toolInput: {
    command: "npm publish --access public --tag next",
    cwd: "/home/ada/harbour",
    timeout: 120_000,
  },
  inputBlob: null,
  inputPreview: null,
  digest: "sha256:9f31c2",
  decision: null,
  by: null,
  reason: null,
  withdrawn: false,
  options: [],
  option: null,
  ...change,
});

export const heredocText = `cat <<'SQL' > migrations/0042_orders_by_date.sql
-- Orders are listed by date: without this the page reads all of them.
create index concurrently if not exists orders_by_date
  on orders (placed_at desc, id desc);
comment on index orders_by_date is 'the "latest orders" page';
SQL
npm run migrate -- --only 0042
psql "$DATABASE_URL" -c 'explain select * from orders order by placed_at desc limit 50' | head -20
`;

export const planText = `## Rotate the signing keys

1. Give every key an **id**, and write it into the token as \`kid\`.
2. Let \`verify\` look the key up; keep old keys for one hour.
3. Run the tests, then the load test against staging.

| step | files | risk |
|---|---|---|
| keys | \`src/auth/keys.ts\` | low |
| tokens | \`src/auth/token.ts\` | medium |

Nothing is deployed.
`;
export const planOptions = [
  { id: "acceptEdits", kind: "allow_always", name: "Yes, and auto-accept edits" },
  { id: "default", kind: "allow_once", name: "Yes, and manually approve edits" },
  { id: "plan", kind: "reject_once", name: "No, keep planning" },
];
export const editStrings = { old_string: before, new_string: after };

export const queued: readonly QueuedView[] = [
  ["Also add a line about rotation to the README.", 60],
  ["Then run the whole test suite once more, and tell me how long it took.", 22],
].map(([content, ago], i) => ({
  id: id("msg", 200 + i),
  content: String(content),
  blob: null,
  clientId: null,
  model: null,
  urgent: false,
  queuedAt: at(Number(ago)),
}));

export const outbox: readonly OutboxItem[] = [
  {
    n: 1,
    id: "a",
    session: id("sess", 1),
    refusal: null,
    state: "waiting",
    problem: null,
    action: { type: "message", content: "Use HMAC with SHA-512 for the new keys." },
  },
  {
    n: 2,
    id: "b",
    session: id("sess", 1),
    refusal: null,
    state: "waiting",
    problem: null,
    action: {
      type: "approval",
      runId: RUN,
      approvalId: id("appr", 1),
      decision: "allow",
      digest: "",
    },
  },
];

export const refusedMessage: readonly OutboxItem[] = [
  {
    n: 1,
    id: "a",
    session: id("sess", 1),
    state: "refused",
    problem: null,
    refusal: {
      code: "bad_input",
      message: "body.content: is too long: at most 1 MB",
      field: { path: "body.content", reason: "is too long: at most 1 MB" },
    },
    action: { type: "message", content: "Read this whole log, and say where it went wrong: …" },
  },
];

const listed = (
  n: number,
  title: string,
  lastly: string,
  minutes: number,
  change: Partial<SessionView> = {},
  unread = false,
): ListItem => ({
  ...session({ id: id("sess", n), title, lastActiveAt: at(minutes * 60), ...change }),
  lastly,
  unread,
});

export const sessions: readonly ListItem[] = [
  listed(
    2,
    "Publish 2.4.0",
    "asks: Run npm publish --access public",
    1,
    { status: "waiting" },
    true,
  ),
  listed(3, "Move the docs to the new site", "the agent stopped while the host was down", 14, {
    status: "interrupted_startup",
    ...paused,
    ...gone,
  }),
  listed(11, "Sort the orders by date", "the model is too busy", 40, {
    status: "idle",
    happening: { kind: "failed", text: "the model is too busy" },
  }),
  listed(1, "Rotate the session keys", "Edit src/auth/token.ts", 0, {}, true),
  listed(4, "Find the slow query", "npm test -- --grep orders", 0),
  listed(5, "Upgrade the base image", "Can't tell whether the agent is still running", 7, {
    runtime: { ...session().runtime, state: "unreachable" },
  }),
  listed(6, "Translate the invoices", "resumes when you answer", 96, { ...paused }),
  listed(7, "Tidy the import order", "claude-code in harbour on main", 60 * 5, {
    status: "idle",
    ...paused,
    ...gone,
  }),
  listed(
    8,
    "Explain the retry policy",
    "said “A failed call is tried twice more, unless it may have had an effect.”",
    26,
    { status: "idle" },
    true,
  ),
  listed(9, "Rename Widget to Part", "codex in harbour on main", 60 * 28, {
    status: "idle",
    lifecycle: "ended",
    ...gone,
  }),
  listed(10, "Lighten the start page", "gemini in shop on main", 60 * 24 * 6, {
    status: "idle",
    lifecycle: "ended",
    ...gone,
  }),
];

/** Two hundred sessions: the four oldest wait for an answer, all others are done. */
export const manySessions: readonly ListItem[] = Array.from({ length: 200 }, (_, i) => {
  const isWaiting = i >= 196;
  return listed(
    1000 + i,
    isWaiting ? `Publish 2.${i - 190}.0` : `Tidy module ${i + 1}`,
    isWaiting ? "asks: Run npm publish" : "said “Done.”",
    i * 9,
    { status: isWaiting ? "waiting" : "idle" },
    i % 7 === 0,
  );
});

export const agents: readonly AgentView[] = [
  agent("demo", "Demo agent", { freeze: true, version: "0.1.0" }),
  agent("claude-code", "Claude Code", {
    version: "0.9.2",
    quirks: [
      "When killed, it leaves a child process that runs for some seconds. Holdfast ends that process before it restarts the agent.",
    ],
  }),
  agent("codex", "Codex", {
    installed: false,
    version: null,
    missing: "Codex was not found. To get it: npm install -g @agentclientprotocol/codex-acp",
    install: { command: "npm install -g @agentclientprotocol/codex-acp" },
  }),
  agent("gemini", "Gemini CLI", { resume: "none", version: "0.31.0" }),
];

function agent(name: string, title: string, change: Partial<AgentView>): AgentView {
  return {
    name,
    title,
    installed: true,
    version: "1.0.0",
    resume: "native",
    history: "fallback",
    missing: null,
    hosts: [],
    freeze: false,
    quirks: [],
    ...change,
  };
}

export const rules: readonly StandingRule[] = [
  ["execute", '{"command":"npm test"}'],
  ["execute", '{"command":"git push --force-with-lease origin rotate-keys"}'],
  ["fetch", "*"],
].map(([toolName = "", pattern = ""], n) => ({
  id: id("rule", n),
  toolName,
  pattern,
  scope: "session",
  runId: null,
}));

export const devices: readonly DeviceView[] = [
  ["Ada’s laptop", 40 * 86_400, 5, true],
  ["Pixel 9", 12 * 86_400, 190, false],
  ["Old tablet", 200 * 86_400, 90 * 86_400, false],
].map(([name, made, seen, current], i) => ({
  id: `dev_${i}`,
  name: String(name),
  tenant: "local",
  scopes: ["read", "write", "admin"],
  expiresAt: null,
  current: current === true,
  createdAt: at(Number(made)),
  lastSeenAt: at(Number(seen)),
}));

export const hostileText = `A title with \u202Egnp.exe\u202C inside, and \u001B[31mred\u001B[0m.

<script>alert("run")</script> <img src=x onerror=alert(1)> [press me](javascript:alert(1)) and
![track](https://evil.example/pixel.png) and [a real link](https://example.org/page).

\u001B]0;owned\u0007 ${"long".repeat(60)}
`;
export const hostileOutput = `\u001B[2J\u001B[1;1H\u001B[32m✓ 41 tests passed\u001B[0m
\u001B]52;c;cm0gLXJmIC8=\u0007
rm -rf \u202E/ emoh/\u202C \u0008\u0008\u0008safe
${"x".repeat(6000)}
`;
