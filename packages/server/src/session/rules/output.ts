/** Records an agent's output and tool calls as they arrive. */

import {
  type EventBody,
  HostError,
  type Json,
  type Output,
  type RunState,
  spokenLength,
  stateLimits,
} from "@holdfast/protocol";
import { attemptRule, rule } from "./rule.ts";

export const record = attemptRule("record", (run, input, at) => {
  const most = at.policy.runSaid;
  if (run.said > most) {
    return new HostError(
      "limit_reached",
      `The agent wrote more than ${most} characters in one run and was stopped. Everything up to there is kept.`,
    );
  }
  const events: EventBody[] = [];
  const open = new Set(run.openTools.map((tool) => tool.id));
  for (const item of input.output) {
    const event = recorded(run, item, open);
    if (event instanceof HostError) return event;
    if (event !== null) events.push(event);
  }
  return events;
});

function recorded(run: RunState, item: Output, open: Set<string>): EventBody | HostError | null {
  const who = { runId: run.id, attempt: run.attempt.n };
  switch (item.type) {
    case "text":
      return item.text === "" ? null : { kind: "text.appended", ...who, text: item.text };
    case "thinking":
      return item.text === "" ? null : { kind: "thinking.appended", ...who, text: item.text };
    case "tool_started":
      if (open.has(item.toolCallId)) return null;
      if (open.size >= stateLimits.openTools) {
        return new HostError(
          "limit_reached",
          `More than ${stateLimits.openTools} tool calls are open.`,
        );
      }
      open.add(item.toolCallId);
      return { kind: "tool.started", ...who, ...untyped(item) };
    // A call has one start and one result; further updates are dropped.
    case "tool_updated":
      if (!open.has(item.toolCallId)) return null;
      return { kind: "tool.updated", ...who, ...untyped(item) };
    case "tool_finished":
      if (!open.delete(item.toolCallId)) return null;
      return { kind: "tool.finished", ...who, ...untyped(item) };
    case "part":
      return { kind: "part.added", ...who, ...untyped(item) };
    case "usage":
      return { kind: "usage.reported", ...who, ...untyped(item) };
  }
}

function untyped<T extends Output>({ type, ...rest }: T): Omit<T, "type"> {
  return rest;
}

/** Records output between runs, up to the policy's `spokenBetween` characters. */
export const speak = rule("speak", (state, input, at) => {
  const most = at.policy.spokenBetween;
  if (state.spoken > most) return [];
  const spoken = input.output.flatMap(spokenOf);
  const said = spoken.reduce((sum, one) => sum + spokenLength(one), state.spoken);
  if (said <= most) return spoken;
  const text = "The agent wrote too much between two runs; the rest was dropped.";
  return [...spoken, { kind: "agent.spoke", part: { type: "notice", text } }];
});

type Spoken = Extract<EventBody, { kind: "agent.spoke" }>;

function spokenOf(item: Output): Spoken[] {
  switch (item.type) {
    case "text":
      return item.text === "" ? [] : [{ kind: "agent.spoke", text: item.text }];
    case "part":
      return [{ kind: "agent.spoke", part: item.part }];
    // Token usage without a run is dropped.
    case "usage":
      return [];
    default:
      return [{ kind: "agent.spoke", part: item as Record<string, Json> }];
  }
}
