/**
 * The complete path of an agent's output: parse, rule, fold, encode, append, publish, and a base
 * now and then. The host runs without runner and sweep, which would end runs that have no agent.
 */

import { randomBytes } from "node:crypto";
import { makeId } from "@holdfast/protocol";
import { systemClock } from "../../packages/server/src/base/clock.ts";
import { defaultPolicy } from "../../packages/server/src/base/policy.ts";
import { BaseKeeper } from "../../packages/server/src/session/bases.ts";
import { Sessions } from "../../packages/server/src/session/sessions.ts";
import { textOf } from "../events.ts";
import { createSessions, openStore } from "../store.ts";
import type { Subject } from "./subject.ts";

export async function open(dir: string, count: number): Promise<Subject> {
  const journal = await openStore(dir);
  const clock = systemClock();
  const bootId = makeId("boot", clock.now(), randomBytes(10));
  const random = (bytes: number) => randomBytes(bytes);
  const policy = defaultPolicy;
  const sessions = new Sessions({ journal, clock, policy, bootId, random });
  const onError = (_: unknown, error: unknown) => {
    throw error;
  };
  const bases = new BaseKeeper({ sessions, journal, policy, onError });
  const writers = await createSessions(journal, count);
  const states = await Promise.all(writers.map(({ session }) => sessions.state(session)));
  const texts = Array.from({ length: 1024 }, (_, i) => textOf(i));
  return {
    send(index) {
      const writer = writers[index] as (typeof writers)[number];
      const text = texts[writer.seq++ % texts.length] as string;
      const runId = states[index]?.run?.id ?? "";
      const output = [{ type: "text" as const, text }];
      return sessions.execute(writer.session, "record", { runId, attempt: 1, output });
    },
    async close() {
      for (const { session, seq } of writers) {
        const state = await sessions.state(session);
        if (state.seq !== seq)
          throw new Error(`product: ${session} is at ${state.seq}, not ${seq}`);
      }
      await bases.settled();
      await journal.close();
    },
  };
}
