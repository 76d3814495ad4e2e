/** The agents of this host: whether a session may use one, and the definition that it pins. */

import { HostError, type SessionState } from "@holdfast/protocol";
import type { Clock } from "../base/clock.ts";
import { type ModelOffer, refuseModel } from "./acp/model-choice.ts";
import type { Agent } from "./agent.ts";
import type { PinnedDefinitions } from "./definitions/pinned-definitions.ts";
import type { AgentDefinition } from "./table/table.ts";

/** The parts of a session that decide its models: tenants have their own logins. */
type Chooser = Pick<SessionState, "tenant" | "agentName" | "definition">;

/** An offer lasts 2 minutes, because an upgrade or a login may add models. */
const OFFER_MS = 120_000;

export class KnownAgents {
  readonly #inProcess: ReadonlyMap<string, Agent>;
  readonly #definitions: ReadonlyMap<string, AgentDefinition>;
  readonly #pinned: PinnedDefinitions;
  readonly #clock: Pick<Clock, "steady">;
  /** The models that agents offered at their latest starts, and when. */
  readonly #offers = new Map<string, { readonly offer: ModelOffer; readonly at: number }>();

  constructor(
    inProcess: readonly Agent[],
    definitions: readonly AgentDefinition[],
    pinned: PinnedDefinitions,
    clock: Pick<Clock, "steady">,
  ) {
    this.#inProcess = new Map(inProcess.map((agent) => [agent.name, agent]));
    this.#definitions = new Map(definitions.map((agent) => [agent.name, agent]));
    this.#pinned = pinned;
    this.#clock = clock;
  }

  get(name: string): AgentDefinition | undefined {
    return this.#definitions.get(name);
  }

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

  /** Remembers the models that an agent offered at a start; null when it offered no choice. */
  offered(chooser: Chooser, offer: ModelOffer | null): void {
    this.#forgetOffers();
    const key = chooserKey(chooser);
    if (offer === null || offer.known.length === 0) this.#offers.delete(key);
    else this.#offers.set(key, { offer, at: this.#clock.steady() });
  }

  /** The reason why the agent cannot use this model; null when it can, or must be asked. */
  refuseModel(chooser: Chooser, model: string): HostError | null {
    this.#forgetOffers();
    const known = this.#offers.get(chooserKey(chooser));
    return known === undefined ? null : refuseModel(chooser.agentName, known.offer, model);
  }

  #forgetOffers(): void {
    const oldest = this.#clock.steady() - OFFER_MS;
    for (const [key, { at }] of this.#offers) if (at <= oldest) this.#offers.delete(key);
  }

  unknown(name: string): string {
    const installed = [...this.#definitions.values()].filter((agent) => agent.missing() === null);
    const ready = [...this.#inProcess.keys(), ...installed.map((agent) => agent.name)];
    return `This host has no agent "${name}". Ready: ${ready.join(", ") || "none"}.`;
  }

  /** True for agents that are known to continue after a freeze. */
  mayFreeze(name: string): boolean {
    return this.#definitions.get(name)?.row?.freeze ?? false;
  }

  loginOf(name: string): string | null {
    return this.#definitions.get(name)?.row?.login?.how ?? null;
  }

  /** Pins the agent's definition for a new session; null when it uses the person's home. */
  async pin(name: string): Promise<string | null> {
    const { definition, ownHome } = this.#definitions.get(name) ?? {};
    if (definition !== undefined) return this.#pinned.pin(definition);
    return ownHome === true ? this.#pinned.keep([]) : null;
  }
}

const chooserKey = ({ tenant, agentName, definition }: Chooser) =>
  JSON.stringify([tenant, agentName, definition]);
