/** Writes megabytes of events: edits of a message that is queued behind a silent agent. */

import type { SessionId } from "@holdfast/protocol";
import { scriptedAgent } from "../../testing/scripted-agent.ts";
import { type TestHost, testHost } from "../../testing/test-host.ts";

const EDIT = 20_000;
const AT_ONCE = 50;
let edits = 0;

export function floodableHost(): Promise<TestHost> {
  return testHost({ agents: [scriptedAgent("demo", () => [{ type: "stall" }])] });
}

/** Writes about `megabytes` of events in large slices, which readers get in steps of 256 KB. */
export async function flood({ sessions }: TestHost, id: SessionId, megabytes = 1): Promise<void> {
  const messageId = await queued(sessions, id);
  for (let sent = 0; sent < megabytes * 1024 * 1024; sent += AT_ONCE * EDIT) {
    const contents = Array.from({ length: AT_ONCE }, () => `${edits++} `.padEnd(EDIT, "x"));
    await Promise.all(
      contents.map((content) => sessions.execute(id, "editQueued", { messageId, content })),
    );
  }
}

async function queued(sessions: TestHost["sessions"], id: SessionId): Promise<string> {
  const known = (await sessions.state(id)).queue[0];
  if (known !== undefined) return known.id;
  await sessions.execute(id, "prompt", { content: "first" });
  const { state } = await sessions.execute(id, "prompt", { content: "second" });
  return state.queue[0]?.id as string;
}
