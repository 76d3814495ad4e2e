/** The agent's own options, for requests where they say more than allow once, always and deny. */

import type { ApprovalOption } from "../events.ts";
import type { Request } from "./request.ts";

export interface OwnOption {
  readonly id: string;
  readonly name: string;
  readonly decision: "allow" | "deny";
  /** True when the option applies to this request only. */
  readonly isOnce: boolean;
}

/**
 * Who reads the reason of an answer: people. Agents get it only through our bridge to Claude, and
 * with the prompt that carries an answer to a restarted agent.
 */
export const reasonWords = "saved with the answer; most agents do not see it";

const meanings = ["allow_once", "allow_always", "reject_once", "reject_always"] as const;

/**
 * The options to show; empty when the ordinary buttons cover all of them. That is the case when the
 * agent offers at most one option for each meaning, and the call is neither a plan nor a question.
 */
export function ownOptions(
  options: readonly ApprovalOption[],
  kind: Request["kind"],
): readonly OwnOption[] {
  const known = options.filter((option) => isMeaning(option.kind));
  const isOrdinary = known.every(
    (one) => known.filter(({ kind: same }) => same === one.kind).length === 1,
  );
  const isChoice = kind === "plan" || kind === "question";
  if (known.length === 0 || (isOrdinary && !isChoice)) return [];
  return known.map(({ id, name, kind: means }) => ({
    id,
    name: name === "" ? means : name,
    decision: means.startsWith("allow_") ? "allow" : "deny",
    isOnce: means.endsWith("_once"),
  }));
}

function isMeaning(kind: string): boolean {
  return (meanings as readonly string[]).includes(kind);
}
