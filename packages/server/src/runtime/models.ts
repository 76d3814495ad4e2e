/** The models of one live agent: its offer, its current model, and the request to change it. */

import { HostError, type Json } from "@holdfast/protocol";
import type { ModelOffer } from "../agents/acp/model-choice.ts";
import { failure } from "./resume/failures.ts";
import type { AskAgent } from "./resume/load.ts";

const MODELS_NAMED = 30;

export class Models {
  readonly #agentName: string;
  readonly #offer: ModelOffer | null;
  readonly #ask: AskAgent;
  #current: string | null;

  constructor(agentName: string, offer: ModelOffer | null, ask: AskAgent) {
    this.#agentName = agentName;
    this.#offer = offer;
    this.#ask = ask;
    this.#current = offer?.current ?? null;
  }

  /** False for an agent without a choice of models. */
  get hasChoice(): boolean {
    return this.#offer !== null;
  }

  /**
   * Switches the model; null means the agent's initial model. Throws `model_unavailable` for a
   * model that the agent does not offer.
   */
  async choose(agentSessionId: string, wanted: string | null, key: string): Promise<void> {
    const model = wanted ?? this.#offer?.current ?? null;
    if (model === null || model === this.#current) return;
    if (this.#offer === null) throw this.#noChoice(model);
    if (!this.#offer.known.includes(model)) throw unknownModel(model, this.#offer.known);
    const { method, params } = this.#offer.choose(agentSessionId, model);
    const chosen = await this.#ask(key, method, params as Json as object);
    if (chosen.error !== undefined) throw failure(`would not take the model "${model}"`, chosen);
    this.#current = model;
  }

  #noChoice(model: string): HostError {
    return new HostError(
      "model_unavailable",
      `The agent "${this.#agentName}" lets nobody choose its model, so "${model}" cannot be had. Leave the model out.`,
    );
  }
}

function unknownModel(model: string, known: readonly string[]): HostError {
  const names = known.slice(0, MODELS_NAMED).join(", ");
  return new HostError("model_unavailable", `The agent has no model "${model}". It has: ${names}.`);
}
