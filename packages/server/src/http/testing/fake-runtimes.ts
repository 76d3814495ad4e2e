/** A runtimes port without processes: it only executes the commands of a revive. */

import type { SessionId } from "@holdfast/protocol";
import type { Resumed, Reviving } from "../../runtime/runtimes.ts";
import type { Sessions } from "../../session/sessions.ts";
import type { HandlerRuntimes } from "../deps.ts";

export interface FakeRuntimes extends HandlerRuntimes {
  /** Delays a started revive until it resolves; a rejection fails it. */
  gate: () => Promise<unknown>;
  readonly broken: string[];
}

const resumed: Resumed = { rung: "native", ms: 12, grade: "verified", receipt: null };

export function fakeRuntimes(sessions: Sessions): FakeRuntimes {
  const flights = new Map<SessionId, Reviving>();
  const fake: FakeRuntimes = {
    gate: async () => undefined,
    broken: [],

    revive(session, mode) {
      const known = flights.get(session);
      if (known !== undefined) return known;
      const began = sessions.execute(session, "revive", { mode });
      const done = began
        .then(async ({ events }) => {
          if (events.length === 0) return null;
          await fake.gate();
          await sessions.execute(session, "revived", { rung: "native", ms: 12 });
          return resumed;
        })
        .finally(() => flights.delete(session));
      const reviving = { started: began.then(() => undefined), done };
      flights.set(session, reviving);
      return reviving;
    },

    async pause(session) {
      await sessions.execute(session, "pause", { reason: "explicit" });
      await sessions.execute(session, "agentExited", { reason: "paused" });
    },
    async end(session) {
      await sessions.execute(session, "end", { reason: "explicit" });
    },
    nextRung: () => "native",
    async break(_session, what) {
      fake.broken.push(what);
    },
  };
  return fake;
}
