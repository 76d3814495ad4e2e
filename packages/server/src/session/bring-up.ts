/**
 * Bringing an agent up in a holder that answers, down the ladder: its own session is loaded where it
 * has one, and what it replays is held against the journal; what it does not know is told with the
 * next prompt; where that is not wanted either, it starts fresh. Every step is asked under a key.
 */

import type { CommandInput, Grade, Json, Rung, Transcript } from "@holdfast/protocol";
import { canLoad, initializeParams, methods, sessionIdOf } from "../agents/acp.ts";
import { modelsOffered } from "../agents/choose.ts";
import { Models } from "./models.ts";
import { unvouchedRun } from "./resume/cut-off.ts";
import { failure } from "./resume/failures.ts";
import { type Loading, load, type Refusal, whereOf } from "./resume/load.ts";
import type { Verdict } from "./resume/verify.ts";

export interface Up {
  readonly agentSessionId: string;
  readonly rung: Extract<Rung, "native" | "injected" | "fresh">;
  readonly grade: Grade | null;
  /** The first message, by its seq, that the agent does not know. */
  readonly contextFrom: number | null;
  /** The run that was cut off and that it may not remember whole. */
  readonly cutOffRun: string | null;
  /** Where it was held against the journal. */
  readonly verdict: Verdict | null;
  readonly recovered: CommandInput<"recover"> | null;
  readonly refused: Refusal | null;
}

export interface Coming extends Loading {
  readonly version: string;
  /** The one that is wanted, where the agent has a choice. */
  readonly model: string | null;
  /** No agent has come up for it yet: what cannot be had is refused before anything depends on it. */
  readonly isNew: boolean;
  /** The agent's own session, where it may have one. */
  readonly known: string | null;
  /** What the journal has; null when the agent is to know nothing of it. */
  readonly transcript: Transcript | null;
}

export async function bringUp(coming: Coming): Promise<Up> {
  const { held, agent, place, version } = coming;
  held.launch(agent.launch(place));
  const initialized = await held.ask("initialize", methods.initialize, initializeParams(version));
  if (initialized.error !== undefined)
    throw failure("would not start", initialized, agent.row?.login?.how);
  const loaded = await loadKnown(coming, canLoad(initialized.result));
  if (loaded !== null && !("reason" in loaded)) {
    const { answer, ...up } = loaded;
    await settle(coming, up.agentSessionId, answer);
    return { ...up, rung: "native", refused: null };
  }
  const made = await held.ask("new", methods.newSession, whereOf(place));
  const agentSessionId = sessionIdOf(made.result);
  if (agentSessionId === null) throw failure("made no session", made, agent.row?.login?.how);
  await settle(coming, agentSessionId, made.result);
  const contextFrom = firstTold(coming);
  const told = contextFrom === null ? null : "injected";
  return {
    ...{
      agentSessionId,
      rung: told ?? "fresh",
      grade: told,
      contextFrom,
      cutOffRun: cutOffBefore(coming, told),
    },
    ...{ verdict: null, recovered: null, refused: loaded },
  };
}

/** Null where there is nothing to load, or where it is not asked to. */
async function loadKnown(coming: Coming, can: boolean) {
  const { agent, known, transcript } = coming;
  const isAsked = agent.resume === "native" && agent.history !== "inject";
  if (known === null || transcript === null || !isAsked) return null;
  if (can) return load(coming, known, transcript);
  return { agentSessionId: known, reason: "it says that it cannot load sessions" };
}

/** The run that was cut off before, of which the history that is told has open calls, perhaps. */
function cutOffBefore({ transcript }: Coming, told: string | null): string | null {
  if (transcript === null || told === null) return null;
  const last = transcript.runs.findLast(({ taken }) => taken.length > 0) ?? null;
  return unvouchedRun(transcript, last);
}

/** Where the history begins that a new session is told; null when there is none, or none is wanted. */
function firstTold({ agent, transcript }: Coming): number | null {
  if (transcript === null || agent.history === "never") return null;
  const { messages, runs } = transcript;
  const run = runs.at(-1);
  // The message that it comes up for is no history yet.
  const request = run?.outcome === null ? run.messageId : null;
  const told = messages.find(({ id, rewound, contentParts }) => {
    return !rewound && id !== request && contentParts.length > 0;
  });
  return told?.seq ?? null;
}

/**
 * Before the first prompt: the mode in which it asks its user, and the model that was wanted. Both are
 * set on every way up, since agents do not keep them with their sessions.
 */
async function settle(coming: Coming, sessionId: string, answer: Json | undefined): Promise<void> {
  const { held, agent, model } = coming;
  const { mode: modeId } = agent;
  if (modeId !== undefined) {
    const entered = await held.ask(`mode/${sessionId}`, methods.setMode, { sessionId, modeId });
    if (entered.error !== undefined) throw failure(`has no mode "${modeId}"`, entered);
  }
  const models = new Models(agent.name, modelsOffered(answer));
  held.models = models;
  // An agent that had a choice once and has none now must not take its sessions with it.
  if (model === null || (!models.hasChoice && !coming.isNew)) return;
  const ask = (key: string, method: string, params: object) => held.ask(key, method, params);
  await models.choose(ask, sessionId, model, `model/${sessionId}`);
}
