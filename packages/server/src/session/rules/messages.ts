/** A person's messages: a message starts a run, or waits in the queue until a run may start. */

import {
  type Command,
  type EventBody,
  HostError,
  openRun,
  type QueuedMessage,
  type RunState,
  type SessionState,
} from "@holdfast/protocol";
import { closing } from "./ending.ts";
import { andThen, type Decision, type Moment, notEnded, openRunOf, rule } from "./rule.ts";
import { cancelling } from "./runs.ts";
import { jsonBytes } from "./size.ts";
import { advance, type Sent, sending, starting, unpausing } from "./start.ts";

export const prompt = rule("prompt", (state, input, at) => {
  const refused = notEnded(state);
  if (refused !== null) return refused;
  // A repeated send appends no event: the caller gets the first message's result.
  if (state.clients.some((known) => known.clientId === input.clientId)) return [];
  const run = openRun(state);
  if (run === null) return sending(state, message(input, at), at);
  if (supersedes(run)) return superseding(state, run, input, at);
  const full = noRoom(state, state.queue, input, at);
  if (full !== null) return full;
  const urgent = input.whenBusy === "interrupt";
  const queued: EventBody = {
    kind: "message.queued",
    ...message(input, at),
    ...(urgent ? { urgent } : {}),
  };
  if (urgent) return [...cancelling(run, input.by), queued];
  // A message to a run that a person paused resumes it.
  return run.paused === "explicit" ? [queued, ...unpausing(state, run, input.by, at)] : [queued];
});

function noRoom(
  state: SessionState,
  others: readonly QueuedMessage[],
  message: { content: string },
  at: Moment,
): HostError | null {
  const bytes = jsonBytes([...others.map((queued) => queued.content), message.content]);
  if (others.length < at.policy.queue && bytes <= at.policy.queueBytes) return null;
  return new HostError(
    "queue_full",
    `${state.queue.length} messages are queued, which leaves no room for this one. Remove one first.`,
  );
}

function message(input: Command<"prompt">, at: Moment): Sent {
  return {
    messageId: at.newId("message"),
    content: input.content,
    ...(input.blob === undefined ? {} : { blob: input.blob }),
    ...(input.clientId === undefined ? {} : { clientId: input.clientId }),
    ...(input.model === undefined ? {} : { model: input.model }),
  };
}

/** True when the run waits for tools or outside systems only: a message replaces it. */
function supersedes(run: RunState): boolean {
  return (
    run.waits.length > 0 &&
    run.waits.every((wait) => wait.kind !== "human") &&
    !run.unreachable &&
    run.cancel === null
  );
}

function superseding(state: SessionState, run: RunState, input: Command<"prompt">, at: Moment) {
  const ended: EventBody[] = [
    ...closing(run, "superseded"),
    { kind: "run.cancelled", runId: run.id, reason: "superseded" },
  ];
  return andThen(state, ended, at, (next) => sending(next, message(input, at), at));
}

export const editQueued = rule("editQueued", (state, input, at) => {
  const found = queuedMessage(state, input.messageId);
  if (found instanceof HostError) return found;
  const others = state.queue.filter((queued) => queued !== found);
  const full = noRoom(state, others, input, at);
  if (full !== null) return full;
  const { messageId, content, blob } = input;
  return [{ kind: "message.edited", messageId, content, ...(blob === undefined ? {} : { blob }) }];
});

export const removeQueued = rule("removeQueued", (state, input) => {
  const found = queuedMessage(state, input.messageId);
  return found instanceof HostError
    ? found
    : [{ kind: "message.removed", messageId: input.messageId }];
});

function queuedMessage(state: SessionState, id: string): QueuedMessage | HostError {
  const refused = notEnded(state);
  if (refused !== null) return refused;
  const found = state.queue.find((queued) => queued.id === id);
  return (
    found ??
    new HostError("message_not_found", `This message is no longer queued: it was sent or removed.`)
  );
}

export const releaseQueue = rule("releaseQueue", (state, _input, at): Decision => {
  const refused = notEnded(state);
  if (refused !== null) return refused;
  if (openRun(state) !== null) {
    return new HostError(
      "already_running",
      "A run is in progress. Queued messages are sent when it is done.",
    );
  }
  return advance(state, at, { wanted: true });
});

/** Retries a run from the start, or from where it broke: always as a new run. */
export const retry = rule("retry", (state, input, at): Decision => {
  const refused = notEnded(state);
  if (refused !== null) return refused;
  const open = openRunOf(state, input.runId);
  if (!(open instanceof HostError)) {
    return new HostError(
      "already_running",
      `Run ${open.id} is still in progress. Cancel it first.`,
    );
  }
  const run = state.run;
  if (run === null || run.id !== input.runId) return open;
  if (run.outcome === "completed") {
    return new HostError("not_open", `Run ${run.id} is completed. Send a message to continue.`);
  }
  return starting(run.messageId, run.model, at, { continues: run.id, from: input.from });
});
