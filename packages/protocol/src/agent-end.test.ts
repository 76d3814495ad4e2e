import { expect, test } from "vitest";
import { agentEndOf } from "./agent-end.ts";
import type { Event, EventBody } from "./events.ts";
import type { AgentEnd } from "./vocabulary.ts";
import { interruptionWords } from "./words/story.ts";

const launched: EventBody = { kind: "holder.launched", holderId: "hold_1", epoch: 1 };
const gone: EventBody = { kind: "holder.exited", holderId: "hold_1", reason: "process_exit" };
const exited = (reason: string): EventBody => ({ kind: "agent.exited", reason });

test.each<[string, AgentEnd | null | undefined, readonly EventBody[]]>([
  ["is killed with SIGKILL", "agent_killed", [launched, exited("SIGKILL: last words"), gone]],
  ["exits by itself", "agent_stopped", [launched, exited("exit code 1"), gone]],
  ["crashes", "agent_stopped", [launched, exited("SIGSEGV"), gone]],
  ["was asked to end", "agent_stopped", [launched, exited("asked (SIGKILL)"), gone]],
  ["goes with its holder", "holder_gone", [launched, gone]],
  ["is up again", null, [launched, gone, launched]],
  ["was started before the events that are known", undefined, [gone]],
])("the end of an agent that %s is %s", (_how, end, events) => {
  const known = events.reduce<AgentEnd | null | undefined>(
    (before, event) => agentEndOf(before, event as Event),
    undefined,
  );
  expect(known).toBe(end);
});

test("only the end of a process is told by how the agent ended", () => {
  expect(interruptionWords("process_exit")).toBe("the agent's process stopped");
  expect(interruptionWords("process_exit", "agent_killed")).toBe("the agent's process was killed");
  expect(interruptionWords("process_exit", "holder_gone")).toBe(
    "the agent's parent process stopped, and the agent with it",
  );
  const down = "the agent stopped while the host was down";
  expect(interruptionWords("process_restart", "holder_gone")).toBe(down);
  expect(interruptionWords("later_reason", "holder_gone")).toBe("later_reason");
});
