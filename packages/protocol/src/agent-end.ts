/** The end of a session's agent, as far as the journal knows it. */

import type { Event } from "./events.ts";
import type { AgentEnd } from "./vocabulary.ts";

/**
 * Folds the end of the latest agent: null while it is up, undefined before the first known start. A
 * holder that lives reports its agent's exit first, so a holder's exit alone means that it was the
 * holder that ended.
 */
export function agentEndOf(known: Known, event: Event): Known {
  switch (event.kind) {
    case "holder.launched":
    case "agent.ready":
      return null;
    case "agent.exited":
      return killed.test(event.reason) ? "agent_killed" : "agent_stopped";
    case "holder.exited":
      return known === null ? "holder_gone" : known;
    default:
      return known;
  }
}

type Known = AgentEnd | null | undefined;

/** The signals that people, service managers and the kernel end processes with. */
const killed = /^SIG(KILL|TERM)\b/;

/** The end as an optional field of an interruption; other reasons do not depend on it. */
export function endIn(reason: string, known: Known): { readonly agentEnd?: AgentEnd } {
  return reason === "process_exit" && known != null ? { agentEnd: known } : {};
}
