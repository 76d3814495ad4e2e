/** Reads the person's keys and turns them into answers and messages, each sent once. */

import { emitKeypressEvents } from "node:readline";
import { type Client, randomKey } from "@holdfast/client";
import { type ApprovalDecision, authorWords, decisionWords } from "@holdfast/protocol";
import { optionsOf } from "../lines/question-lines.ts";
import type { Question } from "../lines/render.ts";
import { markPastes } from "../output/print.ts";
import { quiet, toned } from "../output/words.ts";
import { type Action, type Answer, type Key, nothingTyped, press, type Typed } from "./keys.ts";
import type { Screen } from "./screen.ts";

interface TypingOptions {
  readonly client: Client;
  readonly session: string;
  readonly screen: Screen;
  readonly leave: (interrupted: boolean) => void;
}

interface Before {
  /** When the question was shown; a key right after that was not meant as an answer. */
  readonly shownAt: number;
  /** The idempotency key of the answer: retries count once. */
  readonly key: string;
  answering: boolean;
}

const BACK = "Enter to confirm, any other key to go back";
const confirmations: Readonly<Record<ApprovalDecision, string>> = {
  allow: `allow once? ${BACK}`,
  allow_always: `always allow exactly this? ${BACK}`,
  deny: `deny? ${BACK}`,
};

function confirmation({ decision, option }: Answer): string {
  return option === undefined ? confirmations[decision] : `“${option.name}”? ${BACK}`;
}

const notAnswered = {
  too_soon: "the question is new: read it, press Esc, then answer",
  unclear: "not an answer: press Esc to clear the line, then choose",
  gone: "the question is closed; your answer was not sent",
} as const;

export class Typing {
  readonly #options: TypingOptions;
  readonly #before = new Map<string, Before>();
  #questions: readonly Question[] = [];
  #typed: Typed = nothingTyped;

  constructor(options: TypingOptions) {
    this.#options = options;
    emitKeypressEvents(process.stdin);
    process.stdin.on("keypress", this.#onKey);
    this.#listen();
  }

  close(): void {
    process.stdin.off("keypress", this.#onKey);
    this.#release();
  }

  #listen(): void {
    process.stdin.setRawMode(true);
    process.stdin.resume();
    markPastes(true);
  }

  #release(): void {
    markPastes(false);
    process.stdin.setRawMode(false);
    process.stdin.pause();
  }

  /** Suspends the process on Ctrl-Z, which raw mode does not do by itself. */
  #suspend(): void {
    this.#release();
    process.once("SIGCONT", () => this.#listen());
    process.kill(process.pid, "SIGTSTP");
  }

  /** Sets the open questions, from the journal: an answer given anywhere removes its question. */
  ask(questions: readonly Question[]): void {
    this.#questions = questions;
    for (const { approvalId } of questions) {
      if (this.#before.has(approvalId)) continue;
      const shownAt = performance.now();
      this.#before.set(approvalId, { shownAt, key: randomKey(), answering: false });
    }
  }

  readonly #onKey = (text: string | undefined, key: Omit<Key, "text">): void => {
    const question = this.#questions.find((one) => !this.#before.get(one.approvalId)?.answering);
    const before = question === undefined ? undefined : this.#before.get(question.approvalId);
    const asked =
      question === undefined || before === undefined
        ? null
        : {
            id: question.approvalId,
            shownForMs: performance.now() - before.shownAt,
            options: optionsOf(question),
          };
    const { typed, action } = press(this.#typed, { ...key, text: text ?? "" }, asked);
    this.#typed = typed;
    this.#draw();
    // Runs in the background, so that keys keep working while the host responds.
    if (action !== undefined) this.#act(action, question).catch(this.#tell);
  };

  #draw(): void {
    const { text, choice } = this.#typed;
    this.#options.screen.type(text, choice === null ? "" : confirmation(choice));
  }

  async #act(action: Action, question: Question | undefined): Promise<void> {
    const { screen, leave } = this.#options;
    if (action.type === "leave") leave(action.interrupted);
    if (action.type === "suspend") this.#suspend();
    if (action.type in notAnswered) {
      screen.note(quiet(`  ${notAnswered[action.type as keyof typeof notAnswered]}`));
    }
    if (action.type === "not_offered") {
      const advice = `press Esc to clear the line, then choose ${action.numbers}`;
      screen.note(quiet(`  the agent offers no answer with this number: ${advice}`));
    }
    if (action.type === "send") await this.#send(action.text);
    if (action.type === "answer" && question !== undefined) {
      await this.#answer(question, action);
    }
  }

  async #answer(
    { runId, approvalId, digest }: Question,
    { decision, option }: Answer,
  ): Promise<void> {
    const { client, screen } = this.#options;
    const before = this.#before.get(approvalId);
    if (before === undefined || before.answering) return;
    before.answering = true;
    try {
      const { key } = before;
      const chosen = option === undefined ? {} : { option: option.id };
      const body = { decision, digest, key, ...chosen };
      const call = { params: { runId, approvalId }, body, idempotencyKey: key };
      const { approval } = await client.call("decideApproval", call);
      if (approval.decision === decision && approval.option === (option?.id ?? approval.option))
        return;
      const answered = approval.decision === null ? "withdrawn" : decisionWords[approval.decision];
      screen.note(`  already answered: ${answered} by ${authorWords(approval.by)}`);
    } catch (error) {
      before.answering = false;
      throw error;
    }
  }

  async #send(content: string): Promise<void> {
    const { client, session } = this.#options;
    const clientId = randomKey();
    const params = { sessionId: session };
    const body = { content, clientId };
    try {
      await client.call("sendMessage", { params, body, idempotencyKey: clientId });
    } catch (error) {
      // The failed message returns to the input line, unless the person has begun another.
      if (this.#typed.text === "") this.#typed = { ...nothingTyped, text: content };
      this.#tell(error);
      this.#draw();
    }
  }

  readonly #tell = (error: unknown): void => {
    const said = error instanceof Error ? error.message : String(error);
    this.#options.screen.note([toned("lost", "✗ not sent"), `: ${said}`]);
  };
}
