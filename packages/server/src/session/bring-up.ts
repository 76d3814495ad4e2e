/**
 * Bringing an agent up in a holder that answers: it says what it can, and its session is loaded
 * where it can be, else a new one is made. Every step is asked under a key.
 */

import { HostError, type Rung } from "@holdfast/protocol";
import { canLoad, errorOf, initializeParams, methods, sessionIdOf } from "../agents/acp.ts";
import type { AgentDefinition, AgentPlace } from "../agents/table.ts";
import type { RpcLine } from "../holder/frames.ts";
import type { Held } from "./held.ts";

export interface Up {
  readonly agentSessionId: string;
  readonly rung: Extract<Rung, "native" | "fresh">;
  /** The session id that the agent refused, and why. */
  readonly refused: { readonly agentSessionId: string; readonly reason: string } | null;
}

export async function bringUp(
  held: Held,
  agent: AgentDefinition,
  place: AgentPlace,
  { known, version }: { known: string | null; version: string },
): Promise<Up> {
  held.launch(agent.launch(place));
  const initialized = await held.ask("initialize", methods.initialize, initializeParams(version));
  if (initialized.error !== undefined) throw failure("would not start", initialized);
  const where = { cwd: place.workspace, mcpServers: [] };
  let refused: Up["refused"] = null;
  if (known !== null && agent.resume === "native") {
    if (canLoad(initialized.result)) {
      const loaded = await held.ask("load", methods.loadSession, { sessionId: known, ...where });
      if (loaded.error === undefined) {
        return { agentSessionId: sessionIdOf(loaded.result) ?? known, rung: "native", refused };
      }
      refused = { agentSessionId: known, reason: errorOf(loaded.error).message };
    } else {
      refused = { agentSessionId: known, reason: "it says that it cannot load sessions" };
    }
  }
  const made = await held.ask("new", methods.newSession, where);
  const agentSessionId = sessionIdOf(made.result);
  if (agentSessionId === null) throw failure("made no session", made);
  return { agentSessionId, rung: "fresh", refused };
}

function failure(what: string, { error }: RpcLine): HostError {
  const said = error === undefined ? { code: "agent_error", message: "no reason" } : errorOf(error);
  return new HostError("launch_failed", `The agent ${what}: ${said.message}`, { code: said.code });
}
