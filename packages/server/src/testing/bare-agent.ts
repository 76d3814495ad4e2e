/** An agent of which a test writes every part itself, for what no well-behaved agent does. */

import type { Agent, AgentSays, Turn } from "../agents/agent.ts";

export interface BareAgent extends Agent {
  launches: number;
}

/** Says these things, then nothing until its stream is ended; each part can be replaced. */
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
