/**
 * Renders events for a terminal: (view, event) → the pieces to print, and the next view. Pure. A
 * seq is printed once, however often it arrives, so a replay after a reconnect adds no lines.
 */

import {
  type AgentEnd,
  type ApprovalDecision,
  type ApprovalOption,
  type AskedAgain,
  agentEndOf,
  answerWords,
  askedAgainIn,
  askerStopped,
  type BlobRef,
  count,
  duration,
  type Event,
  type EventKind,
  type EventOf,
  interruptionWords,
  isStop,
  type Json,
  launchQueuedWords,
  pauseWords,
  recoveryWords,
  type Stamped,
  workspaceLossWords,
} from "@holdfast/protocol";
import { quiet, toned, type Words } from "../output/words.ts";
import { partBlob, restLines } from "./blob-words.ts";
import { partLine } from "./part-words.ts";
import { messageLines, receiptLines, toolMarks } from "./story-words.ts";
import { toolLine } from "./tool-words.ts";

export type Piece =
  /** The agent's text, appended as it streams; the next piece may continue the line. */
  | { readonly type: "answer"; readonly text: string }
  /** A line of the CLI's own, between the agent's text. */
  | { readonly type: "note"; readonly words: Words }
  | { readonly type: "question"; readonly question: Question };

export interface Question {
  readonly approvalId: string;
  readonly runId: string;
  readonly toolCallId: string;
  /** The name of the tool call that the question is about. */
  readonly name: string;
  readonly input: Json;
  readonly digest: string;
  /** Why an earlier answer does not apply; absent when there was no earlier answer. */
  readonly again?: AskedAgain | undefined;
  /** The effect of an answer when the process that asked is gone. */
  readonly asker?: string | null;
  /** The agent's own answers, in its own words. */
  readonly options?: readonly ApprovalOption[];
  /** For an input too large for an event: the blob that holds it, and its beginning. */
  readonly large?: { readonly session: string; readonly blob: BlobRef; readonly preview: string };
}

interface Tool {
  readonly name: string;
  readonly line: string;
  /** The answer's time for a call that asked: it runs only then. Empty when it is unknown. */
  readonly startedAt: string;
  /** True when a person denied the call, whatever its agent reports at its end. */
  readonly denied: boolean;
}

export interface View {
  readonly session: string;
  /** The seq of the last event that was printed or skipped. */
  readonly seq: number;
  /** The kind of the last printed line: `text` may continue, `thinking` is printed once. */
  readonly at: "line" | "text" | "thinking";
  readonly tools: ReadonlyMap<string, Tool>;
  /** Questions that a rule may answer at once; each is printed when the run starts to wait. */
  readonly asked: ReadonlyMap<string, Question>;
  readonly questions: readonly Question[];
  readonly tokens: { readonly input: number; readonly output: number };
  /** True after a cancel: closed questions then do not let the run continue. */
  readonly isStopping?: boolean;
  /** The end of the latest agent; null while it is up, absent when its start was not seen. */
  readonly agentEnd?: AgentEnd | null | undefined;
}

export const emptyView: View = {
  // The placeholder that help uses.
  session: "SESSION",
  seq: 0,
  at: "line",
  tools: new Map(),
  asked: new Map(),
  questions: [],
  tokens: { input: 0, output: 0 },
};

export interface Rendered {
  readonly view: View;
  readonly pieces: readonly Piece[];
}

export function render(view: View, event: Event): Rendered {
  if (event.seq <= view.seq) return { view, pieces: [] };
  const next = Object.hasOwn(renders, event.kind)
    ? (renders[event.kind] as ((view: View, event: Event) => Change) | undefined)
    : undefined;
  const { say = [], ...change } = next?.(view, event) ?? {};
  const said = say.map((one): Piece => (isPiece(one) ? one : { type: "note", words: one }));
  const agentEnd = agentEndOf(view.agentEnd, event);
  const changed: View = { ...view, ...change, seq: event.seq, agentEnd };
  const [first] = said;
  if (first === undefined) return { view: changed, pieces: said };
  const last = said.at(-1);
  const at = change.at ?? (last?.type === "answer" ? midLine(last.text) : "line");
  const isCut = view.at === "text" && first.type !== "answer";
  const pieces = isCut ? [{ type: "answer", text: "\n" } as const, ...said] : said;
  return { view: { ...changed, at }, pieces };
}

function midLine(text: string): View["at"] {
  return text.endsWith("\n") ? "line" : "text";
}

type Said = readonly (Piece | Words)[];

function isPiece(said: Piece | Words): said is Piece {
  return typeof said === "object" && "type" in said;
}

type Change = Partial<View> & { readonly say?: Said };
type Renders = {
  readonly [K in EventKind]?: (view: View, event: Stamped<EventOf<K>>) => Change;
};

const note = (...say: Said) => ({ say });
const aside = (text: string) => note(quiet(`· ${text}`));

const retryWords = {
  start: "runs the last message again, from the start",
  error: "continues the earlier work",
};

const renders: Renders = {
  "message.user": (view, event) => note(...contentLines(view, event)),
  "message.queued": (view, event) =>
    note(quiet("· queued until the run is done:"), ...contentLines(view, event)),
  "message.edited": (view, event) =>
    note(quiet("· queued message changed to:"), ...contentLines(view, event)),
  "message.removed": () => aside("a queued message was removed"),

  "run.started": (_, event) => ({
    tokens: { input: 0, output: 0 },
    isStopping: false,
    ...(event.continues === undefined ? {} : aside(retryWords[event.from ?? "error"])),
  }),
  "run.cancel_requested": () => ({ isStopping: true, ...aside("stopping …") }),
  "run.paused": (_, event) =>
    note([toned("asleep", "‖ paused"), ` (${pauseWords[event.reason] ?? event.reason})`]),
  "run.waiting": waiting,
  "run.resumed": ({ isStopping }) => (isStopping ? {} : aside("the run continues")),
  "run.unreachable": () =>
    note([toned("asleep", "~ the agent cannot be reached"), "; it may still be running"]),
  "run.adopted": () => note(toned("recovered", `⌁ ${recoveryWords("adopted", null, null)}`)),
  "run.silent": () => aside("the agent has been silent for a while"),
  "run.completed": (view) => note([toned("alive", "✓ done"), quiet(usage(view))]),
  "run.failed": (_, event) =>
    note([toned("lost", "✗ failed"), `: ${event.error.message} `, quiet(`(${event.error.code})`)]),
  "run.cancelled": () => note(toned("lost", "✗ cancelled")),
  "run.interrupted": ({ agentEnd }, { reason }) =>
    note([toned("needs", "! interrupted"), ` (${interruptionWords(reason, agentEnd)})`]),
  "run.dismissed": () => aside("dismissed"),

  "attempt.failed": (_, event) =>
    note([toned("lost", "! an attempt failed"), `: ${event.error.message}`]),
  "attempt.started": (_, event) => (event.cause === "transient" ? aside("trying again") : {}),

  "text.appended": (_, event) => ({ say: [{ type: "answer", text: event.text }] }),
  "thinking.appended": (view) =>
    view.at === "thinking" ? {} : { ...aside("thinking …"), at: "thinking" },
  "part.added": ({ session }, { part }) =>
    note(quiet(`· ${partLine(part)}`), ...restLines(session, partBlob(part))),
  "agent.spoke": (_, { text, part }) =>
    text === undefined ? aside(partLine(part ?? {})) : { say: [{ type: "answer", text }] },
  "usage.reported": ({ tokens }, event) => ({
    tokens: {
      input: tokens.input + event.inputTokens,
      output: tokens.output + event.outputTokens,
    },
  }),
  "tool.started": (view, event) => {
    const line = toolLine(event.name, event.input);
    const { name, ts: startedAt } = event;
    const call = { name, line, startedAt, denied: false };
    const tools = new Map(view.tools).set(event.toolCallId, call);
    return { tools, say: [`▸ ${line}`, ...restLines(view.session, event.blob)] };
  },
  "tool.finished": toolFinished,

  "approval.requested": (view, event) => ({
    asked: new Map(view.asked).set(event.approvalId, {
      approvalId: event.approvalId,
      runId: event.runId,
      toolCallId: event.toolCallId,
      name: view.tools.get(event.toolCallId)?.name ?? event.toolName,
      input: event.input,
      digest: event.digest,
      again: askedAgainIn(event) ?? undefined,
      options: event.options ?? [],
      ...largeOf(view.session, event),
    }),
  }),
  "approval.decided": (view, { approvalId, decision, by, reason, ruleId, ts: startedAt }) => ({
    ...without(view, approvalId),
    tools: answeredIn(view, approvalId, {
      startedAt,
      denied: decision === "deny" && !isStop(reason),
    }),
    say: [decidedLine(decision, ruleId === undefined ? by : "a rule", reason)],
  }),
  "approval.withdrawn": (view, event) => ({
    ...without(view, event.approvalId),
    ...aside(`no longer asked (${event.reason})`),
  }),
  "rule.granted": (_, event) =>
    aside(`the agent will not ask again for ${event.toolName} ${event.pattern}`),
  "rule.revoked": () => aside("a rule was removed; the agent asks again"),

  "session.created": () => ({}),
  "session.renamed": (_, event) => aside(`renamed to ${event.title}`),
  "session.paused": (_, event) =>
    note([toned("asleep", "‖ paused"), ` (${pauseWords[event.reason] ?? event.reason})`]),
  "session.reviving": () => aside("the agent is starting …"),
  "session.resumed": (_, event) =>
    // An adoption is skipped here: the adopted run has its own line.
    event.rung === "adopted"
      ? {}
      : note(toned("recovered", `⌁ ${recoveryWords(event.rung, event.grade, event.ms)}`)),
  "session.revive_failed": (_, event) =>
    note([toned("lost", "✗ the agent did not start"), `: ${event.error.message}`]),
  "session.launch_queued": (_, { live, limit, scope }) =>
    aside(launchQueuedWords({ live, limit, scope })),
  "session.rewound": () => aside("rewound: the messages above were replaced by those below"),
  "session.ended": () => note(quiet("· the session has ended")),
  "holder.exited": ({ questions }) =>
    questions.length === 0 ? {} : note(toned("needs", `! ${askerStopped}`)),
  "workspace.lost": (_, { what }) => note(toned("lost", `✗ ${workspaceLossWords[what]}`)),
  "sandbox.gone": (_, event) => aside(`its sandbox is gone (${event.reason})`),
  "receipt.issued": (_, event) => note(...receiptLines(event)),
};

function contentLines(
  { session }: View,
  { content, blob }: Pick<EventOf<"message.user">, "content" | "blob">,
): Words[] {
  return [...messageLines(content), ...restLines(session, blob)];
}

function waiting(view: View, event: Stamped<EventOf<"run.waiting">>) {
  if (event.approvalId === null) {
    return event.waitKind === "human"
      ? note(toned("needs", "? the run waits for you"))
      : aside("the run waits for an external result");
  }
  const question = view.asked.get(event.approvalId);
  if (question === undefined) return {};
  return {
    questions: [...view.questions, question],
    say: [{ type: "question", question } as const],
  };
}

function without(view: View, approvalId: string): Pick<View, "asked" | "questions"> {
  const asked = new Map(view.asked);
  asked.delete(approvalId);
  return { asked, questions: view.questions.filter((one) => one.approvalId !== approvalId) };
}

/** The calls, with the answer noted in the one that the question is about. */
function answeredIn(view: View, approvalId: string, answer: Partial<Tool>): View["tools"] {
  const { tools, asked, questions } = view;
  const question = asked.get(approvalId) ?? questions.find((one) => one.approvalId === approvalId);
  const call = tools.get(question?.toolCallId ?? "");
  if (question === undefined || call === undefined) return tools;
  return new Map(tools).set(question.toolCallId, { ...call, ...answer });
}

export function largeOf(
  session: string,
  {
    inputBlob: blob,
    inputPreview: preview = "",
  }: { inputBlob?: BlobRef | undefined; inputPreview?: string | undefined },
): Pick<Question, "large"> {
  return blob === undefined ? {} : { large: { session, blob, preview } };
}

function decidedLine(decision: ApprovalDecision, by: string, reason: string | undefined): Words {
  const words = answerWords({ decision, by, reason });
  if (isStop(reason)) return quiet(words);
  return decision === "deny" ? toned("lost", `✗ ${words}`) : toned("alive", `✓ ${words}`);
}

/** The last lines of a tool's output are shown: they usually hold the result. */
const OUTPUT_LINES = 3;

function toolFinished(view: View, event: Stamped<EventOf<"tool.finished">>) {
  const tools = new Map(view.tools);
  const tool = tools.get(event.toolCallId);
  tools.delete(event.toolCallId);
  const name = tool === undefined ? event.toolCallId : tool.line;
  // The host closed a synthetic end: when the call itself ended is not known.
  const from = event.synthetic === true ? "" : (tool?.startedAt ?? "");
  const took = Date.parse(event.ts) - Date.parse(from);
  const head = [
    toolMarks[tool?.denied === true ? "denied" : event.status],
    ` ${name}`,
    quiet(took >= 1000 ? `  ${duration(took)}` : ""),
  ];
  const rest = restLines(view.session, event.blob);
  return { tools, say: [head, ...outputLines(event.output), ...rest] };
}

function outputLines(output: string): Words[] {
  const lines = output.trimEnd().split("\n");
  if (output.trim() === "") return [];
  const missing = lines.length - OUTPUT_LINES;
  const last = lines.slice(-OUTPUT_LINES).map((line) => quiet(`    ${line}`));
  return missing > 0 ? [quiet(`    … ${count(missing, "line")} before`), ...last] : last;
}

function usage({ tokens }: View): string {
  const { input, output } = tokens;
  return input + output === 0 ? "" : `  ${input} tokens in, ${output} out`;
}
