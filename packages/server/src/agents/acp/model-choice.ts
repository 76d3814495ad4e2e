/**
 * The choice of model in a session. Agents offer models as a session option or, in older versions
 * of the protocol, as a list. The offer comes from the response that created or loaded the session.
 * Pure.
 */

import { HostError, type Json } from "@holdfast/protocol";
import { exactTextOf, isObject, objectAt } from "./acp-shape.ts";

interface ModelChoice {
  readonly method: "session/set_config_option" | "session/set_model";
  readonly params: { readonly [name: string]: Json };
}

export interface ModelOffer {
  readonly known: readonly string[];
  readonly current: string | null;
  choose(sessionId: string, model: string): ModelChoice;
}

export function modelsOffered(answer: Json | undefined): ModelOffer | null {
  const option = listAt(answer, "configOptions").find(
    (found) => isObject(found) && (found.category === "model" || found.id === "model"),
  );
  const configId = isObject(option) ? exactTextOf(option.id) : null;
  if (isObject(option) && configId !== null) {
    return {
      known: valuesIn(option.options ?? null),
      current: exactTextOf(option.currentValue ?? null),
      choose: (sessionId, value) => ({
        method: "session/set_config_option",
        params: { sessionId, configId, value },
      }),
    };
  }
  const models = objectAt(answer, "models") ?? undefined;
  const known = listAt(models, "availableModels").flatMap(
    (model) => (isObject(model) && exactTextOf(model.modelId)) || [],
  );
  if (known.length === 0) return null;
  const choose = (sessionId: string, modelId: string): ModelChoice => ({
    method: "session/set_model",
    params: { sessionId, modelId },
  });
  const current = exactTextOf(models?.currentModelId ?? null);
  return { known, current, choose };
}

const MODELS_NAMED = 30;

/** The reason why an agent with this offer cannot use the model; null when it can. */
export function refuseModel(
  agentName: string,
  offer: ModelOffer | null,
  model: string,
): HostError | null {
  if (offer?.known.includes(model) === true || offer?.current === model) return null;
  const names = offer?.known.slice(0, MODELS_NAMED).join(", ");
  return new HostError(
    "model_unavailable",
    offer === null
      ? `The agent "${agentName}" offers no choice of models, so it cannot use "${model}". Leave the model out. If the session was created with it, start a new session.`
      : `The agent has no model "${model}". Choose one of these for a new session or the next message: ${names}.`,
  );
}

/** The values of all options; options may be nested in groups. */
function valuesIn(options: Json): string[] {
  if (!Array.isArray(options)) return [];
  return options.flatMap((option) => {
    if (!isObject(option)) return [];
    if (option.options !== undefined) return valuesIn(option.options);
    return exactTextOf(option.value) ?? [];
  });
}

function listAt(value: Json | undefined, name: string): readonly Json[] {
  const found = isObject(value) ? value[name] : null;
  return Array.isArray(found) ? found : [];
}
