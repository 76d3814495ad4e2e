/** Prepares a connection's agent for its next prompt: prompt, folder, model, workspace. */

import type { RunState, SessionState } from "@holdfast/protocol";
import type { Prompt } from "../agents/agent.ts";
import { reasonOf } from "../session/refusals.ts";
import type { WrittenFile } from "../workspace/short-files.ts";
import { noFindings, type WorkspaceFindings } from "../workspace/workspace-findings.ts";
import type { SentPrompt } from "./agent-link.ts";
import type { IngestOptions } from "./ingest.ts";
import type { Models } from "./models.ts";
import { needsLook, promptFor } from "./prompts.ts";

export interface PreparationOptions
  extends Pick<IngestOptions, "session" | "holderId" | "sessions" | "blobs"> {
  readonly look: (
    state: SessionState,
    written: readonly WrittenFile[],
  ) => Promise<WorkspaceFindings>;
  /** True when the agent's folder is gone and a restart makes a new one; else rejects. */
  readonly isFolderGone: (state: SessionState) => Promise<boolean>;
}

/** Ends the agent, by request or by kill; a leaving agent gets no more messages. */
interface AgentEnding {
  isLeaving(): boolean;
  ask(): void;
  kill(): void;
}

export class PromptPreparation {
  readonly #options: PreparationOptions;
  readonly #ending: AgentEnding;
  /** The workspace state read at the launch, for the prompt of the same run. */
  #launchLook: { readonly runId: string; readonly found: Promise<WorkspaceFindings> } | null = null;
  /** Resolves when the receipt of the launch is durable, or there will be none. */
  #receipted: Promise<void> = Promise.resolve();

  constructor(options: PreparationOptions, ending: AgentEnding) {
    this.#options = options;
    this.#ending = ending;
  }

  launched(
    run: RunState | null,
    found: Promise<WorkspaceFindings> | null,
    receipted: Promise<void>,
  ): void {
    this.#receipted = receipted;
    if (run !== null && found !== null) this.#launchLook = { runId: run.id, found };
  }

  /** Null when the agent cannot take the prompt; its launch has then failed, or the agent ends. */
  async prepare(
    state: SessionState,
    run: RunState,
    models: Models | null,
  ): Promise<Pick<SentPrompt, "prompt" | "found"> | null> {
    const prompt = await this.#promptOf(state, run);
    if (prompt === null) return null;
    if (this.#options.holderId === null) return { prompt, found: noFindings };
    const { agentSessionId } = state.runtime;
    if (agentSessionId === null || !(await this.#hasFolder(state, run))) return null;
    if (!(await this.#hasModel(state, run, agentSessionId, models))) return null;
    if (!needsLook(prompt)) return { prompt, found: noFindings };
    const found = await this.#look(state, run, prompt);
    // All that an agent does after an interruption comes after the receipt in the journal.
    await this.#receipted;
    return { prompt, found };
  }

  /** The prompt; null when it cannot be read, which fails the launch. */
  async #promptOf(state: SessionState, run: RunState): Promise<Prompt | null> {
    const { sessions, blobs, session } = this.#options;
    try {
      return await promptFor(sessions, blobs, session, state);
    } catch (error) {
      await this.#failLaunch(run, error);
      return null;
    }
  }

  /**
   * False when the agent's folder is gone. The idle agent then ends, and the runner starts it again
   * in a new folder; without a person's own folder the launch fails.
   */
  async #hasFolder(state: SessionState, run: RunState): Promise<boolean> {
    try {
      if (!(await this.#options.isFolderGone(state))) return true;
      this.#ending.ask();
    } catch (error) {
      await this.#failLaunch(run, error);
    }
    return false;
  }

  /**
   * Sets the agent's model: that of the message, else the session's. False when it cannot. The
   * models of an agent that another host started are unknown, so this idle agent is ended and
   * revived with the right model.
   */
  async #hasModel(
    state: SessionState,
    run: RunState,
    agentSessionId: string,
    models: Models | null,
  ): Promise<boolean> {
    const { id: runId, attempt, model } = run;
    if (models === null) {
      if (model === (state.runtime.messageModel ?? null)) return true;
      this.#ending.kill();
      return false;
    }
    if (model === null && !models.hasChoice) return true;
    try {
      const key = `model/${runId}/${attempt.n}`;
      await models.choose(agentSessionId, model ?? state.model, key);
      return true;
    } catch (error) {
      if (!this.#ending.isLeaving()) await this.#failLaunch(run, error);
      return false;
    }
  }

  /** The workspace state. The prompt that a launch was for uses the state read at the launch. */
  #look(state: SessionState, { id }: RunState, { written }: Prompt): Promise<WorkspaceFindings> {
    const launched = this.#launchLook;
    this.#launchLook = null;
    if (launched?.runId === id) return launched.found;
    return this.#options.look(state, written);
  }

  async #failLaunch({ id: runId, attempt }: RunState, error: unknown): Promise<void> {
    const { sessions, session } = this.#options;
    const launch = { runId, attempt: attempt.n };
    await sessions.execute(session, "failAttempt", { ...launch, error: reasonOf(error) });
  }
}
