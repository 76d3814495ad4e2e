/** The agents of this host: whether a session may use one, and the definition that it pins. */

import { HostError } from "@holdfast/protocol";
import { type ModelOffer, refuseModel } from "./acp/model-choice.ts";
import type { Agent } from "./agent.ts";
import type { PinnedDefinitions } from "./definitions/pinned-definitions.ts";
import type { AgentDefinition } from "./table/table.ts";

export class KnownAgents {
  readonly #inProcess: ReadonlyMap<string, Agent>;
  readonly #definitions: ReadonlyMap<string, AgentDefinition>;
  readonly #pinned: PinnedDefinitions;
  /** The models that each agent offered at its latest start under this host. */
  readonly offers = new Map<string, ModelOffer | null>();

  constructor(
    inProcess: readonly Agent[],
    definitions: readonly AgentDefinition[],
    pinned: PinnedDefinitions,
  ) {
    this.#inProcess = new Map(inProcess.map((agent) => [agent.name, agent]));
    this.#definitions = new Map(definitions.map((agent) => [agent.name, agent]));
    this.#pinned = pinned;
  }

  /** The agent of this name that runs in a process of its own. */
  get(name: string): AgentDefinition | undefined {
    return this.#definitions.get(name);
  }

  /** The agent of this name that runs inside this process. */
  inProcess(name: string): Agent | undefined {
    return this.#inProcess.get(name);
  }

  /** Like `get`; throws when the agent is unknown or not installed. */
  installed(name: string): AgentDefinition {
    const agent = this.#definitions.get(name);
    const missing = agent === undefined ? `This host has no agent "${name}".` : agent.missing();
    if (agent === undefined || missing !== null) {
      throw new HostError("agent_missing", missing ?? "It is missing.");
    }
    return agent;
  }

  /** The reason why the agent of this name cannot be used; null when it can. */
  refuse(name: string): HostError | null {
    if (this.#inProcess.has(name)) return null;
    const missing = this.#definitions.get(name)?.missing();
    if (missing === undefined) return new HostError("bad_input", this.unknown(name));
    return missing === null ? null : new HostError("agent_missing", missing);
  }

  /** The reason why the agent cannot use this model; null when it can, or was not started yet. */
  refuseModel(name: string, model: string): HostError | null {
    const offer = this.offers.get(name);
    return offer === undefined ? null : refuseModel(name, offer, model);
  }

  /** Says that there is no agent of this name, and which are ready. */
  unknown(name: string): string {
    const installed = [...this.#definitions.values()].filter((agent) => agent.missing() === null);
    const ready = [...this.#inProcess.keys(), ...installed.map((agent) => agent.name)];
    return `This host has no agent "${name}". Ready: ${ready.join(", ") || "none"}.`;
  }

  /** True for agents that are known to continue after a freeze. */
  mayFreeze(name: string): boolean {
    return this.#definitions.get(name)?.row?.freeze ?? false;
  }

  /** The agent's login command; null if it is not known. */
  loginOf(name: string): string | null {
    return this.#definitions.get(name)?.row?.login?.how ?? null;
  }

  /**
   * Pins the agent's definition for a new session and returns its hash; null when the agent uses
   * the person's home.
   */
  async pin(name: string): Promise<string | null> {
    const { definition, ownHome } = this.#definitions.get(name) ?? {};
    if (definition !== undefined) return this.#pinned.pin(definition);
    return ownHome === true ? this.#pinned.keep([]) : null;
  }
}
