/** How a session is loaded, with all that can go wrong on purpose. */

import {
  type AgentContext,
  methods,
  RequestError,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import type { Lie } from "./lies.ts";
import { flushed } from "./stdout.ts";
import { type Entry, replayOf } from "./transcript.ts";

/** Long enough for the answer to be on its way. */
const LATE_MS = 50;

/** What this process answers a load with instead of loading; `time` counts its loads from one. */
export async function refuseToLoad(lie: Lie, time: number): Promise<void> {
  switch (lie) {
    case "capability":
      throw RequestError.methodNotFound(methods.agent.session.load);
    case "params":
      throw RequestError.invalidParams(undefined, "this session cannot be read");
    case "auth":
      throw RequestError.authRequired(undefined, "who are you?");
    case "error":
      throw RequestError.internalError(undefined, "a service failed");
    case "flaky":
      if (time === 1) throw RequestError.internalError(undefined, "a service failed");
      return;
    case "hangs":
      await new Promise(() => undefined);
  }
}

/** Tells the client again what is remembered, before the load is answered or after. */
export async function replay(
  client: AgentContext,
  sessionId: string,
  entries: readonly Entry[],
  lie: Lie,
): Promise<void> {
  const tell = async (): Promise<void> => {
    for (const update of updatesOf(entries, lie)) {
      await client.notify(methods.client.session.update, { sessionId, update });
    }
  };
  if (lie === "late") {
    setTimeout(() => tell().catch(console.error), LATE_MS);
    return;
  }
  await tell();
  if (lie !== "dies") return;
  await flushed();
  process.exit(1);
}

function updatesOf(entries: readonly Entry[], lie: Lie): SessionUpdate[] {
  const all = entries.flatMap(replayOf);
  switch (lie) {
    case "empty":
      return [];
    case "dies":
      return all.slice(0, all.length / 2);
    case "warns":
      return [...all, { sessionUpdate: "agent_message_chunk", content: warning }];
    default:
      return all;
  }
}

const warning = { type: "text", text: "Warning: what I say here is no part of it.\n" } as const;
