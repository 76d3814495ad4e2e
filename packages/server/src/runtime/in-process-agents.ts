/** Connections to agents inside this process, each for one launch; they die with it. */

import { type CommandInput, HostError, type SessionId } from "@holdfast/protocol";
import type { Agent } from "../agents/agent.ts";
import { inTime } from "../base/in-time.ts";
import { isFull, reasonOf } from "../session/refusals.ts";
import { AgentConnection, type AgentConnectionDeps } from "./agent-connection.ts";
import { InProcessLink } from "./in-process-link.ts";

interface InProcessOptions extends AgentConnectionDeps {
  /** Called when the session's connection is gone, because no event may follow. */
  readonly onGone: (session: SessionId) => void;
}

export class InProcessAgents {
  readonly #options: InProcessOptions;
  readonly #connections = new Map<SessionId, AgentConnection>();
  readonly #closing = new AbortController();

  constructor(options: InProcessOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#connections.size;
  }

  get(session: SessionId): AgentConnection | undefined {
    return this.#connections.get(session);
  }

  open(session: SessionId, agent: Agent): void {
    if (this.#connections.has(session) || this.#closing.signal.aborted) return;
    const link = new InProcessLink(agent, (error) => this.#options.onError(session, error));
    const connection = new AgentConnection({
      ...this.#options,
      session,
      holderId: null,
      link,
      cursor: 0,
      onExit: () => this.#exited(connection, link),
      onLost: () => this.#over(connection, link),
    });
    this.#connections.set(session, connection);
  }

  /** Ends the session's agent; rejects when it is not gone in time, and its end not durable. */
  async end(session: SessionId): Promise<void> {
    const connection = this.#connections.get(session);
    if (connection === undefined) return this.#recordPaused(session);
    const { clock, policy } = this.#options;
    const over = connection.end("killed").then(() => true);
    if ((await inTime(clock, policy.killLimit, over)) !== null) return;
    throw new HostError("unreachable", "Its agent was told to end and did not end.");
  }

  async close(): Promise<void> {
    this.#closing.abort();
    const { onError } = this.#options;
    const ending = [...this.#connections.keys()].map((session) =>
      this.end(session).catch((error: unknown) => onError(session, error)),
    );
    await Promise.all(ending);
  }

  /** Records that a paused session's agent is gone, as the exit of a holder does. */
  async #recordPaused(session: SessionId): Promise<void> {
    const { sessions } = this.#options;
    const { paused } = await sessions.state(session);
    if (paused !== null) await this.#execute(session, "agentExited", { reason: "paused" });
  }

  async #exited(connection: AgentConnection, link: InProcessLink): Promise<void> {
    const { launch } = link;
    await this.#release(connection, async () => {
      // A prompt that was not accepted stays open for the next boot.
      if (launch === null || (this.#closing.signal.aborted && !launch.isAccepted)) return;
      const { runId, attempt } = launch;
      const reason = "process_exit";
      await this.#execute(connection.session, "processDied", { runId, attempt, reason });
    });
  }

  /** The turn is over, or its output could not be journalled. */
  async #over(connection: AgentConnection, link: InProcessLink): Promise<void> {
    const { launch } = link;
    const { failure } = connection;
    // Two agents on one workspace is the worst failure, so the old one is proved dead first.
    await link.gone();
    await this.#release(connection, async () => {
      // On a full disk at close the run stays open for the next boot.
      if (launch === null || failure === null || isFull(failure)) return;
      const { runId, attempt } = launch;
      const error = reasonOf(failure);
      await this.#execute(connection.session, "failAttempt", { runId, attempt, error });
    });
  }

  async #release({ session }: AgentConnection, settle: () => Promise<void>): Promise<void> {
    try {
      await settle();
      await this.#recordPaused(session);
    } finally {
      this.#connections.delete(session);
      if (!this.#closing.signal.aborted) this.#options.onGone(session);
    }
  }

  async #execute<N extends "agentExited" | "processDied" | "failAttempt">(
    session: SessionId,
    name: N,
    input: CommandInput<N>,
  ): Promise<void> {
    const { sessions } = this.#options;
    try {
      await sessions.patiently(this.#closing.signal, () => sessions.execute(session, name, input));
    } catch (error) {
      // The run has moved on, or the journal has a newer host.
      if (!(error instanceof HostError)) throw error;
    }
  }
}
