/** Loads a session, with the faults that a lie asks for. */

import {
  type AgentContext,
  methods,
  RequestError,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import type { Lie } from "./lies.ts";
import { flushed } from "./stdout.ts";
import { type Entry, replayOfEntry } from "./transcript.ts";

/** Delay after which the load's response has left the process. */
const LATE_MS = 50;

/** The error that a lie makes this process answer a load with; `time` counts its loads from 1. */
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

/** Sends the remembered entries to the client again, before or after the load's response. */
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
  const all = entries.flatMap(replayOfEntry);
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
