/** An agent inside the host's process that emits the requested deltas, at no other cost. */

import type { Agent, AgentSays, Turn } from "../../packages/server/src/agents/agent.ts";
import { dueDeltas, parseEmission } from "../streams/pace.ts";
import { partOf, workOf } from "./worker.ts";

/** Deltas between two reads of the clock. */
const MOST = 64;

export const emitter: Agent = { name: "emitter", prompt: ({ content }) => turnOf(content) };

function turnOf(content: string): Turn {
  let stopped = false;
  const stop = () => {
    stopped = true;
  };
  async function* says(): AsyncGenerator<AgentSays> {
    yield { type: "ready", agentSessionId: null };
    yield { type: "accepted" };
    const asked = parseEmission(content);
    if (asked !== null) {
      for await (const due of dueDeltas(asked, MOST)) {
        for (const { seq, text } of due) {
          if (stopped) return;
          // The host groups text; a delta of another kind becomes an event of its own.
          if (asked.kind === "text") yield { type: "text", text };
          else if (asked.kind === "work") yield* workOf(seq);
          else if (asked.kind === "parts") yield* partOf(seq);
          else yield { type: "part", part: { type: "notice", text } };
        }
      }
    }
    yield { type: "ended", stopReason: "end_turn" };
  }
  return {
    says: says(),
    answer: () => undefined,
    resume: () => undefined,
    cancel: stop,
    kill: async () => stop(),
  };
}
