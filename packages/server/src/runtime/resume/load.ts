/** Loads the agent's own session, reads its replay, and compares it with the journal. */

import type { CommandInput, Grade, Json, Transcript } from "@holdfast/protocol";
import { errorOf, methods, sessionIdOf } from "../../agents/acp/acp.ts";
import { cut } from "../../agents/acp/acp-shape.ts";
import type { Replay } from "../../agents/acp/replay.ts";
import type { AgentDefinition, AgentPlace } from "../../agents/table/table.ts";
import type { Clock } from "../../base/clock.ts";
import type { RpcLine } from "../../holder/spool/frames.ts";
import { unvouchedRun } from "./cut-off.ts";
import { failure, failureOf } from "./failures.ts";
import { type Journalled, journalledOf } from "./journalled.ts";
import { recovering } from "./recovered.ts";
import { isWhole, type Verdict, verify } from "./verify.ts";

/** Sends a request to the agent under a key. */
export type AskAgent = (key: string, method: string, params: object) => Promise<RpcLine>;

export interface Loading {
  readonly link: { readonly ask: AskAgent };
  readonly agent: AgentDefinition;
  readonly place: AgentPlace;
  readonly clock: Clock;
  readonly replay: Replay;
}

export interface Refusal {
  readonly agentSessionId: string;
  readonly reason: string;
}

export interface Loaded {
  readonly agentSessionId: string;
  readonly answer: Json | undefined;
  readonly grade: Grade;
  readonly verdict: Verdict;
  readonly contextFrom: number | null;
  /** The cut-off run, whose last output and calls the agent may not have saved. */
  readonly cutOffRun: string | null;
  readonly recovered: CommandInput<"recover"> | null;
}

/** Loads the agent's session and verifies that it is this conversation. */
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
    return {
      agentSessionId: known,
      reason: "the session that it loaded does not contain this conversation",
    };
  }
  return {
    // Most agents answer without an id, which means the requested session.
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

/** The seq of the first message to repeat; messages that were already due stay due. */
function firstMissing(verdict: Verdict, due: number | null): number | null {
  const missing = verdict.grade === "partial" ? verdict.missing.map(({ from }) => from) : [];
  const all = due === null ? missing : [due, ...missing];
  return all.length === 0 ? null : Math.min(...all);
}

/** Milliseconds before the retry, for a temporary failure to pass. */
const AGAIN_AFTER = 1_000;

/** Requests the load, and retries an unclear failure once under another key. */
async function ask(
  { link, agent, place, clock, replay }: Loading,
  known: string,
): Promise<RpcLine> {
  const params = { sessionId: known, ...whereOf(place) };
  const first = await link.ask("load", methods.loadSession, params);
  if (first.error === undefined || failureOf(first.error) === "gone") return first;
  if (failureOf(first.error) === "login") {
    throw failure("would not load its session", first, agent.row?.login?.how);
  }
  replay.clear();
  await new Promise<void>((resolve) => clock.after(AGAIN_AFTER, resolve));
  const second = await link.ask("load/2", methods.loadSession, params);
  // An agent that is never told its history would lose it all if an unclear failure counted as a
  // refusal.
  const isFatal = agent.history === "never" && failureOf(second.error) === "unclear";
  if (second.error !== undefined && (isFatal || failureOf(second.error) === "login")) {
    throw failure("could not load its saved session: try again, or start fresh", second);
  }
  return second;
}

/** Waits, up to a limit, for agents that go on replaying after their answer. */
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
