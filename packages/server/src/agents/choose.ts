/**
 * The model of a session, where its agent has a choice: agents offer it as an option of the session,
 * or, before that was settled, as a list of models. What is offered is what the agent said when the
 * session was made or loaded. Pure.
 */

import type { Json } from "@holdfast/protocol";
import { exactTextOf, isObject, objectAt } from "./acp-shape.ts";

export interface Choice {
  readonly method: "session/set_config_option" | "session/set_model";
  readonly params: { readonly [name: string]: Json };
}

export interface Offer {
  /** What may be chosen, by the agent's own ids. */
  readonly known: readonly string[];
  /** The agent's own value before any choice; null if it does not say. */
  readonly current: string | null;
  choose(sessionId: string, model: string): Choice;
}

/** Null when it has no choice. */
export function modelsOffered(answer: Json | undefined): Offer | null {
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
  const choose = (sessionId: string, modelId: string): Choice => ({
    method: "session/set_model",
    params: { sessionId, modelId },
  });
  const current = exactTextOf(models?.currentModelId ?? null);
  return { known, current, choose };
}

/** Options stand in a row, or in groups of rows. */
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
