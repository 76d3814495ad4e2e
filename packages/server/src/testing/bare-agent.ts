/** An agent whose every part a test writes itself, for behaviour that no well-behaved agent has. */

import type { Agent, AgentSays, Turn } from "../agents/agent.ts";

export interface BareAgent extends Agent {
  launches: number;
}

/**
 * Yields `says`, then stays silent until its stream is ended; `over` replaces parts of the turn.
 */
export function bareAgent(
  says: readonly AgentSays[],
  over: (end: () => void) => Partial<Turn> = () => ({}),
): BareAgent {
  return {
    name: "demo",
    launches: 0,
    prompt() {
      this.launches++;
      const { promise: ended, resolve: end } = Promise.withResolvers<void>();
      const stream = async function* () {
        yield* says;
        await ended;
      };
      return {
        says: stream(),
        answer: () => undefined,
        resume: () => undefined,
        cancel: end,
        kill: async () => end(),
        ...over(end),
      };
    },
  };
}
