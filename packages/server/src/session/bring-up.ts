/**
 * Bringing an agent up in a holder that answers, down the ladder: its own session is loaded where it
 * has one, and what it replays is held against the journal; what it does not know is told with the
 * next prompt; where that is not wanted either, it starts fresh. Every step is asked under a key.
 */

import { type Grade, HostError, type Rung, type Transcript } from "@holdfast/protocol";
import { canLoad, errorOf, initializeParams, methods, sessionIdOf } from "../agents/acp.ts";
import type { Replay } from "../agents/replay.ts";
import type { AgentDefinition, AgentPlace } from "../agents/table.ts";
import type { RpcLine } from "../holder/frames.ts";
import type { Held } from "./held.ts";
import { anchorsOf, type Verdict, verify } from "./resume/verify.ts";

export interface Up {
  readonly agentSessionId: string;
  readonly rung: Extract<Rung, "native" | "injected" | "fresh">;
  readonly grade: Grade | null;
  /** The first message, by its seq, that the agent does not know. */
  readonly contextFrom: number | null;
  /** Where it was held against the journal. */
  readonly verdict: Verdict | null;
  /** The session id that the agent refused or does not know, and why. */
  readonly refused: Refusal | null;
}

export interface Refusal {
  readonly agentSessionId: string;
  readonly reason: string;
}

export interface Coming {
  readonly held: Held;
  readonly agent: AgentDefinition;
  readonly place: AgentPlace;
  readonly version: string;
  /** The agent's own session, where it may have one. */
  readonly known: string | null;
  /** What the journal has; null when the agent is to know nothing of it. */
  readonly transcript: Transcript | null;
  /** What it says while it comes up. */
  readonly replay: Replay;
}

export async function bringUp(coming: Coming): Promise<Up> {
  const { held, agent, place, version, known } = coming;
  held.launch(agent.launch(place));
  const initialized = await held.ask("initialize", methods.initialize, initializeParams(version));
  if (initialized.error !== undefined) throw failure("would not start", initialized);
  let refused: Refusal | null = null;
  if (known !== null && agent.resume === "native") {
    const loaded = canLoad(initialized.result)
      ? await load(coming, known)
      : { agentSessionId: known, reason: "it says that it cannot load sessions" };
    if (!("reason" in loaded)) {
      await enterMode(coming, loaded.agentSessionId);
      return loaded;
    }
    refused = loaded;
  }
  const made = await held.ask("new", methods.newSession, whereOf(place));
  const agentSessionId = sessionIdOf(made.result);
  if (agentSessionId === null) throw failure("made no session", made);
  await enterMode(coming, agentSessionId);
  const first = firstTold(coming);
  return first === null
    ? { agentSessionId, rung: "fresh", grade: null, contextFrom: null, verdict: null, refused }
    : {
        agentSessionId,
        rung: "injected",
        grade: "injected",
        contextFrom: first,
        verdict: null,
        refused,
      };
}

/** Its own session, if it really has it. */
async function load(coming: Coming, known: string): Promise<Up | Refusal> {
  const { held, place, transcript, replay } = coming;
  const loaded = await held.ask("load", methods.loadSession, {
    sessionId: known,
    ...whereOf(place),
  });
  if (loaded.error !== undefined) {
    return { agentSessionId: known, reason: errorOf(loaded.error).message };
  }
  const agentSessionId = sessionIdOf(loaded.result) ?? known;
  const up = { agentSessionId, rung: "native" as const, contextFrom: null, refused: null };
  if (transcript === null) return { ...up, grade: "unverified", verdict: null };
  const verdict = verify(anchorsOf(transcript, known), replay.entries);
  if (verdict.grade === "lost") {
    return { agentSessionId: known, reason: "it loaded a session that knows nothing of this one" };
  }
  const contextFrom = verdict.grade === "partial" ? (verdict.missing[0]?.seq ?? null) : null;
  return { ...up, grade: verdict.grade, contextFrom, verdict };
}

/** Where the history begins that a new session is told; null when there is none, or none is wanted. */
function firstTold({ agent, transcript }: Coming): number | null {
  if (transcript === null || agent.history === "never") return null;
  const spoken = transcript.messages.filter(({ rewound, runId }) => !rewound && runId !== null);
  // The first message alone is the request that it comes up for.
  const answered = spoken.some(({ role, contentParts }) => {
    return role === "assistant" && contentParts.length > 0;
  });
  return answered ? (spoken[0]?.seq ?? null) : null;
}

/** What asks its user only in a mode of its own is put into it before the first prompt. */
async function enterMode({ held, agent }: Coming, sessionId: string): Promise<void> {
  const { mode: modeId } = agent;
  if (modeId === undefined) return;
  const entered = await held.ask(`mode/${sessionId}`, methods.setMode, { sessionId, modeId });
  if (entered.error !== undefined) throw failure(`has no mode "${modeId}"`, entered);
}

const whereOf = ({ workspace, mcpServers }: AgentPlace) => ({ cwd: workspace, mcpServers });

function failure(what: string, { error }: RpcLine): HostError {
  const said = error === undefined ? { code: "agent_error", message: "no reason" } : errorOf(error);
  return new HostError("launch_failed", `The agent ${what}: ${said.message}`, { code: said.code });
}
