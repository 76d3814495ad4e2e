/**
 * The resume ladder, and the start of an agent by it in a connected holder: the agent loads its own
 * session, and its replay is compared with the journal; else a new agent session is told the
 * history with the next prompt; else the agent starts fresh. Every request to the agent has a key.
 */

import {
  deriveStatus,
  type Json,
  type Rung,
  type SessionState,
  type Transcript,
} from "@holdfast/protocol";
import { canLoad, initializeParams, methods, sessionIdOf } from "../agents/acp/acp.ts";
import { modelsOffered } from "../agents/acp/model-choice.ts";
import type { AgentDefinition } from "../agents/table/table.ts";
import type { AgentConnection } from "./agent-connection.ts";
import type { HolderLink } from "./holder-link.ts";
import { Models } from "./models.ts";
import { unvouchedRun } from "./resume/cut-off.ts";
import { failure } from "./resume/failures.ts";
import { type AskAgent, type Loading, load, whereOf } from "./resume/load.ts";
import type { LaunchRung, StartedAgent } from "./resume/started-agent.ts";

type Ladder = Pick<AgentDefinition, "resume" | "history">;

/** The rung to try; `hasHistory`: there are messages that a new agent session would not know. */
export function launchRung(
  { resume, history }: Ladder,
  known: string | null,
  hasHistory: boolean,
): LaunchRung {
  if (known !== null && resume === "native" && history !== "inject") return "native";
  return hasHistory && history !== "never" ? "injected" : "fresh";
}

/** The rung that a revive would try now, for the session's status; null for an ended session. */
export function nextRung(
  state: SessionState,
  agent: Ladder | undefined,
  epoch: number,
): Rung | null {
  if (state.ended !== null) return null;
  if (deriveStatus(state, { epoch }).runtime === "live") return "live";
  const { holderId, agentSessionId } = state.runtime;
  if (holderId !== null) return "adopted";
  const { run } = state;
  const hasHistory = run !== null && (run.outcome !== null || run.attempt.accepted);
  return agent === undefined ? "fresh" : launchRung(agent, agentSessionId, hasHistory);
}

interface LaunchOptions extends Loading {
  readonly link: HolderLink;
  readonly connection: AgentConnection;
  readonly version: string;
  /** The requested model, for an agent that offers a choice. */
  readonly model: string | null;
  /** True before the session's first agent: an unavailable model is then refused at once. */
  readonly isNew: boolean;
  readonly known: string | null;
  /** The journal's transcript; null when the agent must start without history. */
  readonly transcript: Transcript | null;
}

export async function startAgent(start: LaunchOptions): Promise<StartedAgent> {
  const { link, agent, place, version } = start;
  const initialized = await link.ask("initialize", methods.initialize, initializeParams(version));
  if (initialized.error !== undefined)
    throw failure("would not start", initialized, agent.row?.login?.how);
  const loaded = await loadKnown(start, canLoad(initialized.result));
  if (loaded !== null && !("reason" in loaded)) {
    const { answer, ...up } = loaded;
    await settle(start, up.agentSessionId, answer);
    return { ...up, rung: "native", refused: null };
  }
  const made = await link.ask("new", methods.newSession, whereOf(place));
  const agentSessionId = sessionIdOf(made.result);
  if (agentSessionId === null) throw failure("made no session", made, agent.row?.login?.how);
  await settle(start, agentSessionId, made.result);
  const from = firstTold(start);
  const rung = launchRung(agent, null, from !== null);
  const contextFrom = rung === "injected" ? from : null;
  const told = rung === "injected" ? rung : null;
  return {
    agentSessionId,
    rung,
    grade: told,
    contextFrom,
    cutOffRun: cutOffBefore(start, told),
    verdict: null,
    recovered: null,
    refused: loaded,
  };
}

/** Loads the agent's own session; null when there is none, or when loading is not wanted. */
async function loadKnown(start: LaunchOptions, can: boolean) {
  const { agent, known, transcript } = start;
  if (known === null || transcript === null) return null;
  if (launchRung(agent, known, true) !== "native") return null;
  if (can) return load(start, known, transcript);
  return { agentSessionId: known, reason: "it says that it cannot load sessions" };
}

/** The cut-off run, if the history for the new session may contain open calls of it. */
function cutOffBefore({ transcript }: LaunchOptions, told: string | null): string | null {
  if (transcript === null || told === null) return null;
  const last = transcript.runs.findLast(({ taken }) => taken.length > 0) ?? null;
  return unvouchedRun(transcript, last);
}

/** The seq of the first message that a new agent session is told; null without history to tell. */
function firstTold({ transcript }: LaunchOptions): number | null {
  if (transcript === null) return null;
  const { messages, runs } = transcript;
  const run = runs.at(-1);
  // The message that this launch is for is the request, not history.
  const request = run?.outcome === null ? run.messageId : null;
  const told = messages.find(({ id, rewound, contentParts }) => {
    return !rewound && id !== request && contentParts.length > 0;
  });
  return told?.seq ?? null;
}

/** Sets mode and model on every start, because agents do not store them. */
async function settle(
  start: LaunchOptions,
  sessionId: string,
  answer: Json | undefined,
): Promise<void> {
  const { connection, link, agent, model } = start;
  const { mode: modeId } = agent;
  if (modeId !== undefined) {
    const entered = await link.ask(`mode/${sessionId}`, methods.setMode, {
      sessionId,
      modeId,
    });
    if (entered.error !== undefined) throw failure(`has no mode "${modeId}"`, entered);
  }
  const ask: AskAgent = (key, method, params) => link.ask(key, method, params);
  const models = new Models(agent.name, modelsOffered(answer), ask);
  connection.models = models;
  // An agent that no longer offers a choice of models must not block its existing sessions.
  if (model === null || (!models.hasChoice && !start.isNew)) return;
  await models.choose(sessionId, model, `model/${sessionId}`);
}
