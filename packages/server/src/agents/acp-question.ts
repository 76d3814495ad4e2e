/**
 * What a question of an agent is about: what the person is shown, what its digest is made of, and what
 * a rule matches are one and the same value.
 */

import type { Json } from "@holdfast/protocol";
import { isObject, type JsonObject, objectAt } from "./acp-shape.ts";
import {
  descriptionIn,
  isEmpty,
  type KnownTool,
  knownDescription,
  knownInput,
} from "./acp-tools.ts";

export interface AskedFor {
  readonly input: Json;
  /** It tells what exactly would run. */
  readonly exact: boolean;
}

/** The call's input, or where the agent does not send it all that it says of the call. */
export function askedFor(call: JsonObject, known: KnownTool | undefined): AskedFor {
  const raw = [call.rawInput, knownInput(known)].find((input) => input != null && !isEmpty(input));
  if (raw !== undefined) return { input: raw, exact: true };
  const { kind } = call;
  const described = { ...knownDescription(known), ...descriptionIn(call) };
  // A tool without parameters is told by its name, where the agent tells that.
  const isNamed = objectAt(objectAt(call, "_meta"), "claudeCode")?.toolName !== undefined;
  if (call.rawInput != null && isNamed) return { input: call.rawInput, exact: true };
  const title = typeof call.title === "string" ? call.title : (known?.name ?? "");
  return {
    input: { title, ...(typeof kind === "string" ? { kind } : {}), ...described },
    exact: tells(described, kind),
  };
}

/** Kinds of calls of which the place is all there is to know. */
const toldByPlace: readonly unknown[] = ["read", "delete"];

/** A title or an explanation may fit many calls; a diff is the very change. */
function tells({ content, locations, type }: JsonObject, kind: Json | undefined): boolean {
  // It was too large to be kept, and is known by its hash.
  if (type === "unreadable") return true;
  const items = Array.isArray(content) ? content.filter(isObject) : [];
  if (items.some((item) => item.type === "diff")) return true;
  return toldByPlace.includes(kind) && Array.isArray(locations) && locations.length > 0;
}
