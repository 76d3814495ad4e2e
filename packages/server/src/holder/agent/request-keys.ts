/**
 * Remembers requests by key, so that a repeated request does not reach the agent again. Answers are
 * kept for a while, for a host that repeats a request whose frame it has already journalled. Keys
 * are kept much longer, because sending twice is worse than a lost answer.
 */

const ANSWERS = 64;
const ANSWER_BYTES = 8 * 1024 * 1024;
/** Answers of turns have their own limit, because a new host depends on them most. */
const PROMPT_ANSWERS = 8;
const KEYS = 10_000;

type KeyState =
  | { readonly is: "new" | "pending" | "spent" }
  | { readonly is: "answered"; readonly line: Buffer };

const fresh: KeyState = { is: "new" };
const pending: KeyState = { is: "pending" };
const spent: KeyState = { is: "spent" };

export class RequestKeys {
  readonly #pending = new Set<string>();
  /** Oldest first, like the other two. */
  readonly #answers = new Map<string, Buffer>();
  readonly #spent = new Set<string>();
  #answerBytes = 0;

  get pending(): readonly string[] {
    return [...this.#pending];
  }

  get hasPending(): boolean {
    return this.#pending.size > 0;
  }

  state(key: string): KeyState {
    if (this.#pending.has(key)) return pending;
    const line = this.#answers.get(key);
    if (line !== undefined) return { is: "answered", line };
    return this.#spent.has(key) ? spent : fresh;
  }

  begin(key: string): void {
    this.#pending.add(key);
  }

  answer(key: string, line: Buffer): void {
    this.#pending.delete(key);
    this.#answers.set(key, line);
    this.#answerBytes += line.length;
    this.#forgetAnswers();
  }

  /** Marks a key as done or lost: it has no answer to give. */
  spend(key: string): void {
    this.#pending.delete(key);
    this.#spent.add(key);
    if (this.#spent.size > KEYS) this.#spent.delete(first(this.#spent));
  }

  #forgetAnswers(): void {
    let prompts = [...this.#answers.keys()].filter(isPrompt).length;
    for (const [key, line] of this.#answers) {
      if (this.#answers.size <= ANSWERS && this.#answerBytes <= ANSWER_BYTES) return;
      if (isPrompt(key) && prompts-- <= PROMPT_ANSWERS) continue;
      this.#answers.delete(key);
      this.#answerBytes -= line.length;
      this.spend(key);
    }
  }
}

function isPrompt(key: string): boolean {
  return key.startsWith("prompt/");
}

function first(keys: Set<string>): string {
  const [key] = keys;
  return key as string;
}
