/** A session live on the terminal: the transcript, new output, and the person's input. */

import type { Client, Followed, StreamState } from "@holdfast/client";
import { type Event, messageView, neverSentWords, outcomeOf } from "@holdfast/protocol";
import { exitCodes } from "../exit.ts";
import { hint } from "../hint.ts";
import { optionsOf, questionTitle } from "../lines/question-lines.ts";
import { tellRanAgain } from "../lines/ran-again.ts";
import { emptyView, type Question, type Rendered, render, type View } from "../lines/render.ts";
import { interruptedWords } from "../lines/session-words.ts";
import { openTranscript } from "../lines/transcript-lines.ts";
import { columnsOf, print, printPiece, say, sayTyped, unread } from "../output/print.ts";
import { fit } from "../output/width.ts";
import { quiet, toned, type Words } from "../output/words.ts";
import { canAsk } from "./confirm.ts";
import { numbersOf } from "./keys.ts";
import { wordFor } from "./own-option.ts";
import { Screen, type Terminal } from "./screen.ts";
import { Typing } from "./typing.ts";

interface LiveOptions {
  readonly client: Client;
  readonly session: string;
  /** Prints one event per line for programs; there is no input and no text for people. */
  readonly json: boolean;
  /** The starting point: after a seq, or with the last `tail` messages of the transcript. */
  readonly from: { readonly after: number } | { readonly tail: number };
  /** Exits at the outcome of this run and of those queued behind it. */
  readonly run?: string | undefined;
  /** True when the agent may have restarted before the starting point. */
  readonly isRestarted?: boolean;
  /** The message that this command sent itself, which is not printed again. */
  readonly hide?: string | undefined;
}

/**
 * Resolves with the exit code. Where nobody can type, a question ends it with `needsDecision`; only
 * a program that follows a whole session is left to answer it by another command.
 */
export async function live(options: LiveOptions): Promise<number> {
  const { client, session, json } = options;
  const isHere = canAsk(json);
  const leaving = new Leaving();
  const screen = new Screen(terminal, choices(session, isHere));
  const leave = (interrupted: boolean) => leaving.leave(interrupted);
  const typing = isHere ? new Typing({ client, session, screen, leave }) : null;
  try {
    const over = await follow(options, screen, typing, leaving.signal).catch((error: unknown) => {
      // Errors that leaving itself causes are dropped.
      if (leaving.signal.aborted) return null;
      throw error;
    });
    if (over !== null) return over;
    if (leaving.interrupted === null) return exitCodes.ok;
    screen.note(quiet(`detached. To attach again: ${hint("attach", session)}`));
    return leaving.interrupted ? exitCodes.interrupted : exitCodes.ok;
  } finally {
    typing?.close();
    leaving.close();
  }
}

/** Messages shown before the live ones, for context and for an open question. */
export const TAIL = 6;

/** Resolves with the exit code, or null when the person left. */
async function follow(
  options: LiveOptions,
  screen: Screen,
  typing: Typing | null,
  signal: AbortSignal,
): Promise<number | null> {
  const { client, session, json } = options;
  const opened = await open(options, screen, typing, signal);
  if (opened.isOver) return exitCodes.ok;
  let { view } = opened;
  if (view.questions.length > 0 && typing === null && !json) return unanswerable(screen, json);
  const tell = (words: Words) => screen.note(words);
  const onState = tellConnection(tell);
  const isDue = "tail" in options.from || options.isRestarted === true;
  const { told } = opened;
  const ranAgain = tellRanAgain({ client, session, signal, isDue, told, tell });
  let run = options.run;
  for await (const one of client.follow({ session, after: view.seq, signal, onState })) {
    if (one.type === "end") return exitCodes.ok;
    if (one.type === "reset") {
      if (json) await print({ reset: one.data });
      const base = afterReset(one, view);
      if (!json) await screen.show(base.pieces);
      view = base.view;
    }
    if (one.type !== "event") continue;
    const { event } = one;
    if (json) await print(event);
    const next = render(view, event);
    view = next.view;
    const isHidden = event.kind === "message.user" && event.messageId === options.hide;
    if (!json && !isHidden) await screen.show(next.pieces);
    typing?.ask(view.questions);
    // Runs in the background, so that a host that does not reply holds back no question.
    const telling = json ? null : ranAgain(event);
    const over = await overAt(event, { ...options, run, signal }, typing !== null, screen);
    if (over === exitCodes.ok && event.kind === "run.completed") {
      // A message queued meanwhile may have started the next run, which is followed as well.
      const call = { params: { sessionId: session }, signal };
      const { session: now } = await client.call("getSession", call);
      if (now.currentRunId !== run && now.currentRunId !== null) {
        run = now.currentRunId;
        continue;
      }
    }
    if (over === null) continue;
    await telling;
    return over;
  }
  return null;
}

async function open(
  options: LiveOptions,
  screen: Screen,
  typing: Typing | null,
  signal: AbortSignal,
): Promise<{ view: View; isOver: boolean; told: Set<string> }> {
  const { client, session, from } = options;
  if ("after" in from) {
    const view = { ...emptyView, session, seq: from.after };
    return { view, isOver: false, told: new Set() };
  }
  const call = { params: { sessionId: session }, query: { tail: from.tail }, signal };
  const { params } = call;
  const [opened, { receipts }, status] = await Promise.all([
    client.call("getTranscript", call),
    client.call("listReceipts", { params, signal }),
    client.call("getStatus", { params, signal }),
  ]);
  // A receipt later than the transcript's end comes with the events.
  const past = receipts.filter(({ seq }) => seq <= opened.seq);
  const { view, pieces } = openTranscript(opened, Date.now(), past);
  const isOver = opened.session.lifecycle === "ended";
  await screen.show(pieces);
  if (!status.workspaceOk && status.notice !== null) {
    screen.note([toned("lost", "✗ "), status.notice.message]);
  }
  for (const line of interruptedWords(opened.session)) screen.note(`  ${line}`);
  if (isOver) screen.note(quiet("· the session has ended"));
  else if (typing !== null) screen.note(quiet(TYPE));
  typing?.ask(view.questions);
  const again = past.flatMap(({ ranAgain = [] }) => ranAgain);
  return { view, isOver, told: new Set(again.map(({ toolCallId }) => toolCallId)) };
}

/** Columns for a question's title beside the keys. */
const TITLE = 24;

const TYPE =
  "· type to send a message (during a run it is queued); Ctrl-C detaches and stops no agent";

/** A reset skips the missed events; the messages they led to are in the base. */
function afterReset({ seq, data }: Extract<Followed, { type: "reset" }>, view: View): Rendered {
  const { state, messages } = data;
  const missed = messages.filter((message) => message.seq > view.seq).map(messageView);
  const base = openTranscript({ seq, state, messages: missed, earlier: 0 }, Date.now());
  const words = quiet(`· events up to ${seq} were removed to save space; their messages follow`);
  return { view: base.view, pieces: [{ type: "note", words }, ...base.pieces] };
}

async function overAt(
  event: Event,
  { client, session, run, json, signal }: LiveOptions & { readonly signal: AbortSignal },
  isHere: boolean,
  screen: Screen,
): Promise<number | null> {
  if (event.kind === "session.ended") {
    if (json) return exitCodes.ok;
    const call = { params: { sessionId: session }, signal };
    // Without a reply the end itself is still told; `show` has the messages.
    const { queue } = await client.call("getQueue", call).catch(() => ({ queue: [] }));
    if (queue.length > 0) {
      screen.note(`  ${neverSentWords(queue.length)}: ${hint("show", session)}`);
    }
    return exitCodes.ok;
  }
  if (event.kind === "run.waiting" && event.waitKind === "human" && !isHere) {
    // A program that follows a whole session reads the question and may answer it.
    if (run === undefined ? json : event.runId !== run) return null;
    // A replayed question may be answered by now, so the host is asked for the current state.
    const { wait } = await client.call("getStatus", { params: { sessionId: session }, signal });
    return wait?.kind === "human" ? unanswerable(screen, json) : null;
  }
  if (event.kind === "run.interrupted" && !json) {
    const call = { params: { sessionId: session }, signal };
    const now = await client.call("getSession", call).catch(() => null);
    // A replayed interruption may be over by now.
    const isLatest = now?.session.currentRunId === event.runId;
    for (const line of isLatest ? interruptedWords(now.session) : []) screen.note(`  ${line}`);
  }
  if (run === undefined || !("runId" in event) || event.runId !== run) return null;
  const outcome = outcomeOf(event.kind);
  if (outcome === "completed") return exitCodes.ok;
  if (outcome === "interrupted") return exitCodes.needsDecision;
  return outcome === undefined ? null : exitCodes.failed;
}

/** The question itself was shown, with the command that answers it. */
function unanswerable(screen: Screen, json: boolean): number {
  if (!json)
    screen.note("  the run waits for your answer; to answer with a key, attach in a terminal");
  return exitCodes.needsDecision;
}

function choices(session: string, isHere: boolean): (question: Question) => Words {
  if (isHere) {
    // The prompt repeats the question's title, because an agent's own text may look like another
    // question.
    return (question) => {
      const options = optionsOf(question);
      const end = quiet(", then Enter; other text is queued as a message");
      if (options.length > 0) {
        return ["  ", quiet("type"), ` ${numbersOf(options)} to choose an answer · n to deny`, end];
      }
      const what = fit(questionTitle(question), TITLE);
      const keys = ` y to allow “${what}” once · a to always allow exactly this · n to deny`;
      return ["  ", quiet("type"), keys, end];
    };
  }
  return (question) => {
    const { approvalId } = question;
    const options = optionsOf(question);
    const option = options.find(({ decision }) => decision === "allow");
    if (option === undefined) return `  answer: ${hint("approve", session, approvalId)}  (or deny)`;
    const command = hint("approve", session, approvalId, "--option", wordFor(option, options));
    return `  answer: ${command}  (or deny; --option takes a number or a name)`;
  };
}

/** Reports a lost connection once, after the second failed attempt, and its return. */
export function tellConnection(tell: (words: Words) => void): (state: StreamState) => void {
  let losses = 0;
  return ({ state }) => {
    if (state === "away" && ++losses === 2) tell(quiet("· host offline, reconnecting …"));
    if (state !== "live") return;
    if (losses >= 2) tell(quiet("· reconnected"));
    losses = 0;
  };
}

const terminal: Terminal = {
  answer: printPiece,
  note: say,
  typed: sayTyped,
  get shared() {
    return process.stdout.isTTY === true;
  },
  get columns() {
    return columnsOf(process.stderr);
  },
};

/** The end of following: by a key, by a signal, or because stdout has no reader. */
class Leaving {
  readonly #controller = new AbortController();
  readonly signal: AbortSignal = AbortSignal.any([this.#controller.signal, unread]);
  readonly #onSignal = () => this.leave(true);
  /** Null until the person leaves by a key or a signal. */
  interrupted: boolean | null = null;

  constructor() {
    for (const name of signals) process.once(name, this.#onSignal);
  }

  leave(interrupted: boolean): void {
    this.interrupted ??= interrupted;
    this.#controller.abort();
  }

  /** Also ends requests that are still under way. */
  close(): void {
    this.#controller.abort();
    for (const name of signals) process.off(name, this.#onSignal);
  }
}

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
