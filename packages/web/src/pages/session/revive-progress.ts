/** The progress of a revive, from events of the journal only. */

import { type Event, launchQueuedWords, type Rung, workspaceLossWords } from "@holdfast/protocol";
import type { ReviveProgress, ReviveStep } from "../../components/session/recovering.tsx";

/** The current step, by the rung that the host announced. */
const tries: Readonly<Record<Exclude<Rung, "live" | "adopted">, string>> = {
  native: "Loading the agent’s own saved session",
  restored: "Restoring the last checkpoint",
  injected: "Starting a new agent session with the conversation",
  fresh: "Starting a new agent session without the conversation",
};

const done = (words: string): ReviveStep => ({ words, is: "done" });
const missed = (words: string): ReviveStep => ({ words, is: "missed" });

function stepOf(event: Event): ReviveStep | null {
  switch (event.kind) {
    case "holder.launched":
      return done("A new process was started");
    case "holder.exited":
      return missed(`The process ended: ${event.reason}`);
    case "workspace.lost":
      return missed(`The workspace was lost: ${workspaceLossWords[event.what]}`);
    case "agent.exited":
      return missed(`The agent ended: ${event.reason}`);
    case "agent.session_retired":
      return missed(`The agent’s saved session could not be loaded: ${event.reason}`);
    case "agent.ready":
      return done("The agent is running");
    default:
      return null;
  }
}

/** `next` is the announced rung, outdated once the agent's own session is refused. */
export function reviveProgress(events: readonly Event[], next: Rung | null): ReviveProgress | null {
  const begun = events.findLastIndex(({ kind }) => kind === "session.reviving");
  if (begun < 0) return null;
  const since = events.slice(begun + 1);
  const isOver = since.some(
    ({ kind }) => kind === "session.resumed" || kind === "session.revive_failed",
  );
  if (isOver) return null;
  const steps = since.flatMap((event) => stepOf(event) ?? []);
  const has = (kind: Event["kind"]) => since.some((event) => event.kind === kind);
  const queued = since.findLast(({ kind }) => kind === "session.launch_queued");
  const waits = queued?.kind === "session.launch_queued" && !has("holder.launched");
  return { steps, now: waits ? launchQueuedWords(queued) : nowOf(has, next) };
}

function nowOf(has: (kind: Event["kind"]) => boolean, next: Rung | null): string {
  if (has("agent.ready")) return "Checking the agent’s memory";
  if (!has("holder.launched")) return "Preparing the folder";
  if (has("agent.session_retired")) return "Starting a new agent session";
  // A revive starts a new process, so an announced `live` or `adopted` is outdated.
  if (next === null || next === "live" || next === "adopted") return "Starting the agent";
  return tries[next];
}
