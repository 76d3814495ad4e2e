/** The subject of a permission request: one value is shown, hashed into the digest, and matched. */

import type { Json } from "@holdfast/protocol";
import { isObject, type JsonObject, objectAt } from "./acp-shape.ts";
import {
  descriptionIn,
  isEmpty,
  type KnownTool,
  knownDescription,
  knownInput,
} from "./acp-tools.ts";

interface AskedFor {
  readonly input: Json;
  readonly exact: boolean;
}

export function askedFor(call: JsonObject, known: KnownTool | undefined): AskedFor {
  const raw = [call.rawInput, knownInput(known)].find((input) => input != null && !isEmpty(input));
  if (raw !== undefined) return { input: raw, exact: true };
  const { kind } = call;
  const described = { ...knownDescription(known), ...descriptionIn(call) };
  // A tool without parameters is identified by its name, if the agent sends the name.
  const isNamed = objectAt(objectAt(call, "_meta"), "claudeCode")?.toolName !== undefined;
  if (call.rawInput != null && isNamed) return { input: call.rawInput, exact: true };
  const title = typeof call.title === "string" ? call.title : (known?.name ?? "");
  return {
    input: { title, ...(typeof kind === "string" ? { kind } : {}), ...described },
    exact: tells(described, kind),
  };
}

/** Kinds of calls that their locations describe completely. */
const toldByPlace: readonly unknown[] = ["read", "delete"];

/** True when the description identifies one change. A title may fit many calls; a diff fits one. */
function tells({ content, locations, type }: JsonObject, kind: Json | undefined): boolean {
  // The value was too large to keep; its hash identifies it.
  if (type === "unreadable") return true;
  const items = Array.isArray(content) ? content.filter(isObject) : [];
  if (items.some((item) => item.type === "diff")) return true;
  return toldByPlace.includes(kind) && Array.isArray(locations) && locations.length > 0;
}
