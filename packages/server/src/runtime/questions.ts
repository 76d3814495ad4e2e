/** Journals the questions and waits of an agent, each with a resume token for the run's creator. */

import { type CommandInput, HostError, type Output } from "@holdfast/protocol";
import type { Meaning } from "../agents/acp/acp.ts";
import { fitting, keptWhole } from "../session/fitting.ts";
import type { Executed } from "../session/owner.ts";
import { isComparable } from "../session/rules/approvals.ts";
import { clearToken, newSecret } from "../session/secrets.ts";
import type { RunAttempt } from "./agent-link.ts";
import type { IngestOptions } from "./ingest.ts";
import type { SaidMeaning } from "./said-meaning.ts";
import { speaker } from "./speaker.ts";

/** Executes a report and moves the cursor to `to`; without `to` the cursor stays. */
type Execute = <N extends "record" | "requestApproval" | "openWait">(
  name: N,
  input: CommandInput<N>,
  to?: number,
) => Promise<Executed>;

export class Questions {
  readonly #options: IngestOptions;
  readonly #execute: Execute;
  /** Answers a request that no person can answer. */
  readonly #refuse: (n: number) => void;

  constructor(options: IngestOptions, execute: Execute, refuse: (n: number) => void) {
    this.#options = options;
    this.#execute = execute;
    this.#refuse = refuse;
  }

  async ask(asked: Extract<Meaning, { type: "permission" }>, to: number): Promise<void> {
    const { session, sessions, blobs, holderId, stopped } = this.#options;
    const { n, toolCallId, toolName, input, whole, exact, options } = asked;
    const state = await sessions.state(session);
    const who = speaker(state, holderId);
    // A question between turns, or of a run that is over, has no person to answer it.
    if (who === null || holderId === null) return this.#refuse(n);
    await this.#tell(asked.said, who);
    const kept =
      whole === null
        ? {}
        : await sessions.patiently(stopped, () => keptWhole(blobs, session, whole));
    // Marked only if an earlier answer may be used; otherwise the question need not wait for git.
    const isCompared = state.run !== null && isComparable(state.run, toolName);
    const question = {
      ...who,
      toolCallId,
      toolName,
      input,
      exact,
      ...kept,
      ...(isCompared ? { workspace: await this.#options.mark(state) } : {}),
      options: [...options],
      askedBy: { holderId, n },
    };
    try {
      const { events } = await this.#minting(who.runId, (token) =>
        this.#execute("requestApproval", { ...question, token }, to),
      );
      const waiting = events.find((event) => event.kind === "run.waiting");
      if (waiting?.approvalId != null) void this.#mark(who.runId, waiting.approvalId);
    } catch (error) {
      if (!isUnrecordable(error)) throw error;
      this.#refuse(n);
    }
  }

  async askHere(asked: Extract<SaidMeaning, { type: "asked" }>, to: number): Promise<void> {
    const { runId, attempt, toolCallId, toolName, input } = asked;
    const question = { runId, attempt, toolCallId, toolName, input, askedBy: null };
    await this.#minting(runId, (token) =>
      this.#execute("requestApproval", { ...question, token }, to),
    );
  }

  async openWait(opened: Extract<SaidMeaning, { type: "waiting" }>, to: number): Promise<void> {
    const { runId, attempt, kind, deadlineAt } = opened;
    const wait = { runId, attempt, kind, deadlineAt };
    await this.#minting(runId, (token) => this.#execute("openWait", { ...wait, token }, to));
  }

  /** Hands the resume token that the command mints to the creator of the run. */
  async #minting(
    runId: string,
    act: (token: { hash: string; expiresAt: null }) => Promise<Executed>,
  ): Promise<Executed> {
    const { session, random, onToken } = this.#options;
    const secret = newSecret(random);
    const executed = await act({ hash: secret.hash, expiresAt: null });
    const minted = executed.events.find((event) => event.kind === "token.minted");
    if (minted) onToken(session, runId, clearToken(minted.tokenId, runId, secret));
    return executed;
  }

  /** Marks the workspace in the background, after the question is shown. */
  async #mark(runId: string, approvalId: string): Promise<void> {
    const { session, sessions, mark, onError } = this.#options;
    try {
      const workspace = await mark(await sessions.state(session));
      await sessions.execute(session, "markWorkspace", { runId, approvalId, workspace });
    } catch (error) {
      // The run or the host has ended, so the mark is not needed.
      if (!(error instanceof HostError)) onError(session, error);
    }
  }

  /** Records the call's output before its question; both are in one frame, so no cursor moves. */
  async #tell(said: readonly Output[], who: RunAttempt): Promise<void> {
    if (said.length === 0) return;
    const { session, blobs } = this.#options;
    const output = await Promise.all(said.map((item) => fitting(blobs, session, item)));
    try {
      await this.#execute("record", { ...who, output });
    } catch (error) {
      // The question itself tells what would run, so it is asked anyway.
      if (!isUnrecordable(error)) throw error;
    }
  }
}

/** True when the journal refuses the content itself. */
export function isUnrecordable(error: unknown): boolean {
  if (!(error instanceof HostError)) return false;
  return ["bad_input", "too_large", "limit_reached"].includes(error.code);
}
