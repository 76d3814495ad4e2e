/** The models of one live agent: its offer, its current model, and the request to change it. */

import type { Json } from "@holdfast/protocol";
import { type ModelOffer, refuseModel } from "../agents/acp/model-choice.ts";
import { failure } from "./resume/failures.ts";
import type { AskAgent } from "./resume/load.ts";

export class Models {
  readonly #agentName: string;
  readonly offer: ModelOffer | null;
  readonly #ask: AskAgent;
  #current: string | null;

  constructor(agentName: string, offer: ModelOffer | null, ask: AskAgent) {
    this.#agentName = agentName;
    this.offer = offer;
    this.#ask = ask;
    this.#current = offer?.current ?? null;
  }

  get hasChoice(): boolean {
    return this.offer !== null;
  }

  /** Switches the model; null means the initial one. Throws `model_unavailable`. */
  async choose(agentSessionId: string, wanted: string | null, key: string): Promise<void> {
    const model = wanted ?? this.offer?.current ?? null;
    if (model === null || model === this.#current) return;
    const refused = refuseModel(this.#agentName, this.offer, model);
    if (refused !== null) throw refused;
    if (this.offer === null) return;
    const { method, params } = this.offer.choose(agentSessionId, model);
    const chosen = await this.#ask(key, method, params as Json as object);
    if (chosen.error !== undefined) throw failure(`would not take the model "${model}"`, chosen);
    this.#current = model;
  }
}
