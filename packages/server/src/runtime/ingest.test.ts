import { fileURLToPath } from "node:url";
import type { EventKind } from "@holdfast/protocol";
import { afterEach, expect, test } from "vitest";
import { KnownTools } from "../agents/acp/acp-tools.ts";
import type { AgentDefinition } from "../agents/table/table.ts";
import { noHolders } from "../testing/no-holders.ts";
import { Ingest } from "./ingest.ts";
import { endPlaces, env, openPlace as open, type Place, says } from "./testing/place.ts";
import { revivedAgain, say } from "./testing/resuming.ts";

afterEach(endPlaces);

const MB = 1024 * 1024;
const noop = () => undefined;

const large: AgentDefinition = {
  name: "large",
  resume: "native",
  history: "never",
  missing: () => null,
  version: () => null,
  launch: ({ workspace }) => ({
    command: process.execPath,
    args: [fileURLToPath(new URL("./testing/large-agent.mjs", import.meta.url))],
    cwd: workspace,
    env,
  }),
};

/** Refuses one batch with an event of this kind, with an unexpected error. */
function failOnce({ journal }: Place, kind: EventKind): void {
  const append = journal.append.bind(journal);
  journal.append = (batch) => {
    if (!batch.text.includes(`"kind":"${kind}"`)) return append(batch);
    journal.append = append;
    return Promise.reject(new Error("nobody foresaw this"));
  };
}

test("a write that fails while the agent is silent is noticed at once, and nothing is lost [P1]", async () => {
  const p = await open();
  const id = await p.create();
  failOnce(p, "text.appended");
  // After the stall no further frame arrives that could reveal the failed write.
  await p.prompt(id, "/count=1 /stall");
  await p.until(id, says("<1>"));
  expect(p.errors).toMatchObject([{ message: "nobody foresaw this" }]);
  await p.kind(id, "tool.started");
  expect(await p.text(id)).toBe("<1>");
  expect(await p.of(id, "run.interrupted")).toEqual([]);
});

test("an agent whose replay is long is ready all the same: each frame moves the cursor once [R004-3]", async () => {
  const p = await open();
  const id = await p.create();
  await p.prompt(id, "/flood=20000");
  await p.kind(id, "run.completed");
  for (let i = 0; i < 3; i++) {
    await p.host?.runtimes.pause(id);
    const resumed = await p.host?.runtimes.revive(id, "revive").done;
    expect(resumed).toMatchObject({ rung: "native" });
  }
  expect(await p.of(id, "agent.spoke")).toEqual([]);
});

test.each(["agent_message_chunk", "of_no_known_kind"])(
  "frames of an agent that is not ready are passed by their bytes, before they fill the spool: %s [P29]",
  async (sessionUpdate) => {
    const p = await open({ holders: noHolders });
    const session = await p.create();
    const holderId = p.sessions.newId("holder");
    await p.sessions.execute(session, "launchHolder", { holderId });
    const passed: number[] = [];
    const replies = { answer: noop, prompted: noop, refuse: noop };
    const told = { ...replies, frozen: noop, exited: noop, broken: noop };
    const ingest = new Ingest(
      {
        ...p.parts,
        session,
        holderId,
        cursor: 0,
        tools: new KnownTools(),
        random: (bytes) => new Uint8Array(bytes),
        onToken: noop,
        mark: async () => null,
        loginOf: () => null,
        onError: noop,
        stopped: AbortSignal.abort(),
      },
      { ...told, durable: (n) => passed.push(n) },
    );
    const content = { type: "text", text: "x" };
    const line = { method: "session/update", params: { update: { sessionUpdate, content } } };
    for (let n = 1; n <= 20; n++) await ingest.take([{ n, k: "line", line }], MB);
    expect(passed).toEqual([8, 16]);
  },
);

test("a replay larger than the holder's spool is loaded, and all of it is compared [R004-3]", async () => {
  const p = await open({ definitions: [large] });
  const id = await p.create({}, { agentName: "large" });
  await say(p, id, "replays 70");
  await say(p, id, "the last words of a person");
  expect(await revivedAgain(p, id)).toMatchObject({ rung: "native", grade: "verified" });
  expect(await p.of(id, "agent.spoke")).toEqual([]);
});
