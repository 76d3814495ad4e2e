/**
 * Makes journals by applying random commands through the rules. Each choice is a number that
 * selects among the actions that the state offers, so that a failing case shrinks to a short story.
 */

import {
  type CommandInput,
  type CommandName,
  HostError,
  openRun,
  type RecoveredPart,
} from "@holdfast/protocol";
import fc from "fast-check";
import type { Policy } from "../../../base/policy.ts";
import type { Decision } from "../rule.ts";
import { HOLDER, Story } from "./story.ts";

export interface Choice {
  /** Selects the command. */
  readonly what: number;
  /** Selects the command's object: a wait, an approval, a reason. */
  readonly which: number;
  /** Milliseconds that pass before the command. */
  readonly ms: number;
}

export const choices = (maxLength: number): fc.Arbitrary<Choice[]> =>
  fc.array(
    fc.record({
      what: fc.nat(MOST),
      which: fc.nat(1_000_000),
      ms: fc.oneof(
        { weight: 8, arbitrary: fc.nat(2000) },
        { weight: 1, arbitrary: fc.nat(20 * 60_000) },
      ),
    }),
    { maxLength, size: "max" },
  );

/** Makes and prints a random seed, so that a failing run can be repeated with it. */
export function freshSeed(suite: string): number {
  const seed = Math.trunc(Math.random() * 0x7fffffff);
  process.stdout.write(`${suite}: seed ${seed}\n`);
  return seed;
}

/** Called with every command, its decision, and the story before the decision is applied. */
type OnDecision = (name: CommandName, decision: Decision, story: Story) => void;

export function randomStory(
  all: readonly Choice[],
  onDecision?: OnDecision,
  policy?: Partial<Policy>,
): Story {
  const story = new Story(policy).create().prompt();
  for (const choice of all) take(story, choice, onDecision);
  return story;
}

function take(story: Story, choice: Choice, onDecision?: OnDecision): void {
  story.pass(choice.ms);
  const make = makers[choice.what % makers.length] as Maker;
  const made = make(story, choice.which);
  if (made === null) return;
  const [name, input] = made;
  const decision = story.decide(name, input);
  onDecision?.(name, decision, story);
  if (!(decision instanceof HostError)) story.append(decision);
}

type Made = { [N in CommandName]: readonly [N, CommandInput<N>] }[CommandName];
type Maker = (story: Story, which: number) => Made | null;

const pick = <T>(from: readonly T[], which: number): T | undefined => from[which % from.length];
const inputs = [{ command: "ls" }, { command: "rm" }, "text", null];

/** The latest run, sometimes with another launch's number, to make late reports. */
function who(story: Story, which: number) {
  const run = story.state.run;
  if (run === null) return null;
  const late = which % 11 === 0 && run.attempt.n > 1 ? 1 : 0;
  return { runId: run.id, attempt: run.attempt.n - late };
}

const onRun =
  (make: (run: { runId: string; attempt: number }, story: Story, which: number) => Made | null) =>
  (story: Story, which: number): Made | null => {
    const run = who(story, which);
    return run === null ? null : make(run, story, which);
  };

const prompt: Maker = (_story, which) => [
  "prompt",
  {
    content: `Message ${which % 7}`,
    ...(which % 3 === 0 ? { clientId: `client-${which % 5}` } : {}),
    ...(which % 4 === 0 ? { whenBusy: "interrupt" as const } : {}),
  },
];

const record = onRun((run, story, which) => {
  const open = story.state.run?.openTools ?? [];
  const finished = pick(open, which)?.id ?? "none";
  const toolCallId = `call-${which % 6}`;
  const input = pick(inputs, which) ?? null;
  const outputs = [
    { type: "text", text: `word${which % 10} ` },
    { type: "thinking", text: "hm" },
    { type: "tool_started", toolCallId, name: "Bash", input, gated: which % 2 === 0 },
    { type: "tool_updated", toolCallId: finished, output: "…" },
    { type: "tool_finished", toolCallId: finished, status: "completed", output: "done" },
    { type: "usage", inputTokens: which % 100, outputTokens: 1 },
    { type: "part", part: { n: which % 10 } },
  ] as const;
  const first = outputs[which % outputs.length];
  const second = outputs[Math.floor(which / 7) % outputs.length];
  return first && second ? ["record", { ...run, output: [first, second] }] : null;
});

const presented = (story: Story, which: number) => {
  const token = pick(story.state.run?.waits ?? [], which)?.token;
  const spent = pick(story.state.spentTokens, which);
  if (token && which % 3 !== 0) return { id: token.id, runId: story.run.id, hash: token.hash };
  return spent && { id: spent.id, runId: spent.runId, hash: spent.hash };
};

const makers: readonly Maker[] = [
  prompt,
  prompt,
  prompt,
  record,
  record,
  record,
  record,
  onRun((run) => ["accept", { ...run, holderId: null }]),
  onRun((run) => ["complete", { ...run, stopReason: "end_turn" }]),
  onRun((run) => ["complete", { ...run, stopReason: "end_turn" }]),
  onRun(({ runId }) => ["cancel", { runId }]),
  onRun(({ runId }) => ["settleCancel", { runId }]),
  onRun((run, _story, which) => {
    const code = pick(["timeout", "content_policy", "overloaded"], which) ?? "timeout";
    return ["failAttempt", { ...run, error: { code, message: `It said ${code}.` } }];
  }),
  onRun(({ runId }, _story, which) => {
    const reason = pick(["process_restart", "process_exit", "sandbox_lost"] as const, which);
    return ["processDied", { runId, reason: reason ?? "process_exit" }];
  }),
  onRun(({ runId }) => ["unreachable", { runId, holderId: null }]),
  onRun(({ runId }) => ["adopt", { runId }]),
  onRun(({ runId }) => ["notice", { runId }]),
  onRun(({ runId }) => ["dismiss", { runId }]),
  onRun(({ runId }, _story, which) => [
    "retry",
    { runId, from: which % 2 === 0 ? "start" : "error" },
  ]),
  onRun(({ runId }) => ["pauseRun", { runId, reason: "abandoned" }]),
  onRun(({ runId }) => ["unpauseRun", { runId }]),
  onRun((run, story, which) => {
    const kind = pick(["human", "tool_result", "external"] as const, which) ?? "human";
    const deadlineAt = kind === "human" ? null : story.in(10 * 60_000);
    const token = story.secret(which % 3 === 0 ? story.in(60_000) : null);
    return ["openWait", { ...run, kind, deadlineAt, token }];
  }),
  onRun(({ runId }, story, which) => {
    const token = presented(story, which);
    const key = which % 2 === 0 ? { key: `key-${which % 4}` } : {};
    return ["resumeWait", { runId, by: "someone", ...key, ...(token ? { token } : {}) }];
  }),
  onRun(({ runId }, story, which) => {
    const wait = pick(story.state.run?.waits ?? [], which);
    return wait ? ["expireWait", { runId, waitId: wait.id }] : null;
  }),
  onRun(({ runId }, story, which) => {
    const wait = pick(story.state.run?.waits ?? [], which);
    if (wait === undefined) return null;
    story.pass(15 * 60_000);
    return ["expireWait", { runId, waitId: wait.id }];
  }),
  onRun(({ runId }, story, which) => {
    const wait = pick(story.state.run?.waits ?? [], which);
    return wait ? ["mintToken", { runId, waitId: wait.id, token: story.secret() }] : null;
  }),
  onRun(({ runId }, story, which) => {
    const tokenId = pick(story.state.run?.waits ?? [], which)?.token?.id;
    return tokenId ? ["revokeToken", { runId, tokenId, reason: "leaked" }] : null;
  }),
  ask,
  ask,
  onRun(({ runId }, story, which) => {
    const asked = pick(story.state.run?.approvals ?? [], which);
    const decision = pick(["allow", "allow_always", "deny"] as const, which) ?? "deny";
    const scope = which % 5 === 0 ? "run" : "session";
    return asked ? ["decide", { runId, approvalId: asked.id, decision, by: "me", scope }] : null;
  }),
  onRun(({ runId }, story, which) => {
    const asked = pick(story.state.run?.approvals ?? [], which);
    return asked ? ["deliver", { runId, approvalId: asked.id }] : null;
  }),
  onRun(({ runId }, story, which) => {
    const asked = pick(story.state.run?.approvals ?? [], which);
    const workspace = { digest: String(which % 2).repeat(64), head: null, files: [] };
    return asked ? ["markWorkspace", { runId, approvalId: asked.id, workspace }] : null;
  }),
  onRun(({ runId }, story, which) => {
    const owed = pick(story.state.run?.results ?? [], which);
    return owed ? ["deliverResult", { runId, waitId: owed.waitId }] : null;
  }),
  (story, which) => {
    const ruleId = pick(story.state.rules, which)?.id;
    return ruleId ? ["revokeRule", { ruleId }] : null;
  },
  (story, which) => {
    const messageId = pick(story.state.queue, which)?.id;
    return messageId ? ["editQueued", { messageId, content: "edited" }] : null;
  },
  (story, which) => {
    const messageId = pick(story.state.queue, which)?.id;
    return messageId ? ["removeQueued", { messageId }] : null;
  },
  () => ["releaseQueue", {}],
  () => ["pause", { reason: "explicit" }],
  (_story, which) => ["revive", { mode: which % 5 === 0 ? "fresh" : "revive" }],
  () => ["revived", { rung: "native", ms: 10 }],
  () => ["reviveFailed", { error: { code: "timeout", message: "Too slow." } }],
  () => ["queueLaunch", { scope: "host", live: 8, limit: 8 }],
  () => ["agentReady", { agentSessionId: "agent-1", holderId: null }],
  () => ["agentExited", { reason: "exit" }],
  () => ["speak", { output: [{ type: "text", text: "by the way" }] }],
  () => ["launchHolder", { holderId: HOLDER }],
  () => ["holderExited", { holderId: HOLDER, reason: "exit" }],
  () => ["loseWorkspace", { what: "gone" }],
  (_story, which) => {
    const is = pick(["ready", "frozen", "thawed", "unreachable", "gone"] as const, which);
    return ["sandbox", { sandboxId: `sbx_${"0".repeat(32)}`, is: is ?? "ready" }];
  },
  () => ["retireAgentSession", { agentSessionId: "agent-1", reason: "refused" }],
  (story, which) => {
    const of = which % 2 === 0 ? who(story, which) : null;
    return ["recover", { agentSessionId: "agent-1", of, parts: [recovered(which)] }];
  },
  () => ["checkpointFailed", { reason: "disk" }],
  ({ state }) => [
    "checkpoint",
    { checkpointId: `ckpt_${"0".repeat(32)}`, atSeq: state.seq, consistent: true, head: null },
  ],
  ({ state }, which) => [
    "rewind",
    { toSeq: 1 + (which % state.seq), checkpointId: `ckpt_${"0".repeat(32)}` },
  ],
  ({ state }) => ["foldJournal", { upTo: state.seq }],
  (story) => [
    "receipt",
    {
      runId: story.state.run?.id ?? null,
      rung: "native",
      kept: [],
      lost: ["a"],
      maybeTwice: [],
      evidence: {},
    },
  ],
  () => ["announce", {}],
  (_story, which) => ["rename", { title: `Title ${which % 3}` }],
  (_story, which) => ["setPolicy", { policy: { launchSilence: which } }],
  (story) => {
    story.reboot();
    return null;
  },
  (story, which) =>
    // Rare, because few commands are accepted afterwards.
    which % 10 === 0 && openRun(story.state) !== null ? ["end", { reason: "explicit" }] : null,
];

function recovered(which: number): RecoveredPart {
  const call = { toolCallId: `found-${which % 6}`, name: "Bash", input: null, output: "" };
  const parts: RecoveredPart[] = [
    { type: "text", text: "and so on" },
    { type: "user", text: "elsewhere" },
    { type: "tool", ...call, status: "unknown" },
  ];
  return parts[which % 3] as RecoveredPart;
}

function ask(story: Story, which: number): Made | null {
  const run = who(story, which);
  if (run === null) return null;
  const input = pick(inputs, which) ?? null;
  const askedBy = which % 2 === 0 ? null : { holderId: HOLDER, n: 1 + (which % 50) };
  const toolCallId = `call-${which % 6}`;
  const token = story.secret();
  return ["requestApproval", { ...run, toolCallId, toolName: "Bash", input, askedBy, token }];
}

/**
 * One less than a multiple of the number of makers, so that each entry of the list is equally
 * likely.
 */
const MOST = makers.length * 1000 - 1;
