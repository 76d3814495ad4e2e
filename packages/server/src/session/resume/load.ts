/** The agent's own session: asked for, heard out, and held against the journal. */

import type { CommandInput, Grade, Json, Transcript } from "@holdfast/protocol";
import { errorOf, methods, sessionIdOf } from "../../agents/acp.ts";
import { cut } from "../../agents/acp-shape.ts";
import type { Replay } from "../../agents/replay.ts";
import type { AgentDefinition, AgentPlace } from "../../agents/table.ts";
import type { Clock } from "../../clock.ts";
import type { RpcLine } from "../../holder/frames.ts";
import type { Held } from "../held.ts";
import { unvouchedRun } from "./cut-off.ts";
import { failure, failureOf } from "./failures.ts";
import { type Journalled, journalledOf } from "./journalled.ts";
import { recovering } from "./recovered.ts";
import { isWhole, type Verdict, verify } from "./verify.ts";

export interface Loading {
  readonly held: Held;
  readonly agent: AgentDefinition;
  readonly place: AgentPlace;
  readonly clock: Clock;
  /** What it says while it comes up. */
  readonly replay: Replay;
}

/** The session id that the agent refused or does not know, and why. */
export interface Refusal {
  readonly agentSessionId: string;
  readonly reason: string;
}

export interface Loaded {
  readonly agentSessionId: string;
  /** What it said of the session. */
  readonly answer: Json | undefined;
  readonly grade: Grade;
  readonly verdict: Verdict;
  /** The first message, by its seq, that it does not know. */
  readonly contextFrom: number | null;
  /** The run that was cut off: a replay cannot vouch for what it said and did last. */
  readonly cutOffRun: string | null;
  /** What it holds beyond the journal. */
  readonly recovered: CommandInput<"recover"> | null;
}

/** Its own session, if it really has it. */
export async function load(
  loading: Loading,
  known: string,
  transcript: Transcript,
): Promise<Loaded | Refusal> {
  const loaded = await ask(loading, known);
  if (loaded.error !== undefined) {
    return { agentSessionId: known, reason: cut(errorOf(loaded.error).message, 500) };
  }
  const journal = journalledOf(transcript, known);
  await hearOut(loading, journal);
  const verdict = verify(journal, loading.replay.entries);
  if (verdict.grade === "lost") {
    return { agentSessionId: known, reason: "it loaded a session that knows nothing of this one" };
  }
  return {
    // An answer without an id is the usual one: the session is the one that was asked for.
    agentSessionId: sessionIdOf(loaded.result) ?? known,
    answer: loaded.result,
    grade: verdict.grade,
    verdict,
    contextFrom:
      loading.agent.history === "never" ? null : firstMissing(verdict, transcript.contextFrom),
    cutOffRun: loading.agent.history === "never" ? null : unvouchedRun(transcript, journal.last),
    recovered: verdict.grade === "ahead" ? recovering(known, journal.last, verdict.beyond) : null,
  };
}

/** What was to be told before and was not yet is still to be told. */
function firstMissing(verdict: Verdict, due: number | null): number | null {
  const missing = verdict.grade === "partial" ? verdict.missing.map(({ from }) => from) : [];
  const all = due === null ? missing : [due, ...missing];
  return all.length === 0 ? null : Math.min(...all);
}

/** For what was a matter of the moment to be over. */
const AGAIN_AFTER = 1_000;

/** An answer that may be a matter of the moment is asked for once more, under another key. */
async function ask(
  { held, agent, place, clock, replay }: Loading,
  known: string,
): Promise<RpcLine> {
  const params = { sessionId: known, ...whereOf(place) };
  const first = await held.ask("load", methods.loadSession, params);
  if (first.error === undefined || failureOf(first.error) === "gone") return first;
  if (failureOf(first.error) === "login") {
    throw failure("would not load its session", first, agent.row?.login?.how);
  }
  replay.clear();
  await new Promise<void>((resolve) => clock.after(AGAIN_AFTER, resolve));
  const second = await held.ask("load/2", methods.loadSession, params);
  // What is never told its history would lose all of it on a guess.
  const isFatal = agent.history === "never" && failureOf(second.error) === "unclear";
  if (second.error !== undefined && (isFatal || failureOf(second.error) === "login")) {
    throw failure("could not load its session, which is kept: try again, or start fresh", second);
  }
  return second;
}

/** Some agents go on replaying after they said that it is done: they are heard out, for a while. */
async function hearOut({ agent, clock, replay }: Loading, journal: Journalled): Promise<void> {
  if (agent.lateReplay === undefined) return;
  const over = Promise.withResolvers<"over">();
  const take = clock.after(agent.lateReplay, () => over.resolve("over"));
  while (!isWhole(journal, replay.entries)) {
    if ((await Promise.race([replay.more, over.promise])) === "over") break;
  }
  take();
}

export const whereOf = ({ workspace, mcpServers }: AgentPlace) => ({ cwd: workspace, mcpServers });
