import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { Replay } from "../agents/acp/replay.ts";
import { isSameProcess, type ProcessIdentity } from "../base/processes.ts";
import { readIdentity } from "../holder/directory/identity.ts";
import { connectHolder } from "../holder/host-side/link.ts";
import { spawnHolder } from "../holder/host-side/spawn.ts";
import { OpenedFiles } from "../opened-files.ts";
import { noHolders } from "../testing/no-holders.ts";
import { Holders } from "./holders.ts";
import { endPlaces, openPlace, type Place } from "./testing/place.ts";

afterEach(endPlaces);

function holdersOf({ parts, data, errors }: Place): Holders {
  return new Holders({
    onReconnected: () => undefined,
    ...parts,
    root: join(data, "holders"),
    version: "test",
    umask: 0o022,
    openedFiles: new OpenedFiles([]),
    random: (bytes: number) => new Uint8Array(bytes),
    onToken: () => undefined,
    look: async () => ({ truth: null, short: [], lost: null }),
    mark: async () => null,
    isFolderGone: async () => false,
    contents: async () => null,
    loginOf: () => null,
    onError: (_session, error) => errors.push(error),
  });
}

test("a holder that is let go of while its agent's exit is written does not outlive holder.exited [P24]", async () => {
  // The host has no access to holders; otherwise it would settle this one too.
  const p = await openPlace({ holders: noHolders });
  const session = await p.create();
  const holderId = p.sessions.newId("holder");
  const holders = holdersOf(p);
  await p.sessions.execute(session, "launchHolder", { holderId });
  const { link } = await holders.start({ session, holderId }, new Replay());
  const identity = readIdentity(holders.dir(holderId)) as unknown as ProcessIdentity;
  const abandoned = Promise.withResolvers<void>();
  const { journal } = p;
  const append = journal.append.bind(journal);
  journal.append = (batch) => {
    if (batch.text.includes('"kind":"agent.exited"')) {
      holders.killAndSettle({ session, holderId }).then(abandoned.resolve, abandoned.reject);
    }
    return append(batch);
  };
  link.launch({ command: "/bin/true", args: [], cwd: p.data, env: {} });
  await abandoned.promise;
  await p.kind(session, "holder.exited");
  expect(isSameProcess(identity)).toBe(false);
});

test("a holder whose agent's exit was the last that an earlier host wrote is ended, and no run waits for it", async () => {
  const p = await openPlace({ holders: noHolders });
  const session = await p.create();
  const holderId = p.sessions.newId("holder");
  const holders = holdersOf(p);
  const dir = holders.dir(holderId);
  await p.sessions.execute(session, "launchHolder", { holderId });
  await spawnHolder({
    root: join(p.data, "holders"),
    version: "test",
    umask: 0o022,
    nonce: "n",
    holderId,
    sessionId: session,
    graceIdleMs: 60_000,
    graceOpenMs: 60_000,
  });
  const identity = readIdentity(dir) as unknown as ProcessIdentity;
  // As far as a host comes that is killed between the two: the exit is durable, the holder still there.
  const to = await lifeOfAgent(dir, p.data);
  const ready = { agentSessionId: "s", holderId };
  await p.sessions.execute(session, "agentReady", ready);
  const cursor = { holder: holderId, from: 0, to };
  await p.sessions.execute(session, "agentExited", { reason: "exit" }, cursor);
  expect(isSameProcess(identity)).toBe(true);

  expect(await holders.adoptOrSettle({ session, holderId })).toBe(false);
  await p.kind(session, "holder.exited");
  expect(isSameProcess(identity)).toBe(false);
  expect(await p.of(session, "session.resumed")).toEqual([]);
  expect((await p.sessions.state(session)).runtime).toMatchObject({
    state: "none",
    holderId: null,
  });
});

test("a holder that dies between the probe and the connect is settled as a dead one", async () => {
  const p = await openPlace({ holders: noHolders });
  const session = await p.create();
  const holderId = p.sessions.newId("holder");
  const holders = holdersOf(p);
  await p.sessions.execute(session, "launchHolder", { holderId });
  const { connection, link } = await holders.start({ session, holderId }, new Replay());
  link.launch({ command: "/bin/sleep", args: ["60"], cwd: p.data, env: {} });
  await connection.ready({ agentSessionId: "s" });
  connection.close();
  await connection.over;
  const identity = readIdentity(holders.dir(holderId)) as unknown as ProcessIdentity;
  const probe = holders.probe.bind(holders);
  const verdicts: string[] = [];
  holders.probe = async (...asked) => {
    const verdict = await probe(...asked);
    verdicts.push(verdict);
    if (isSameProcess(identity)) process.kill(identity.pid, "SIGKILL");
    await expect.poll(() => isSameProcess(identity)).toBe(false);
    return verdict;
  };
  expect(await holders.adoptOrSettle({ session, holderId })).toBe(false);
  expect(verdicts).toEqual(["alive", "dead"]);
  await p.kind(session, "holder.exited");
});

/** Launches an agent that ends at once; resolves with the number of the frame that says so. */
async function lifeOfAgent(dir: string, cwd: string): Promise<number> {
  const link = await connectHolder({ dir, epoch: 1, acked: 0, timeoutMs: 5_000 });
  link.launch("launch/1", { command: "/bin/true", args: [], cwd, env: {} });
  for await (const frames of link.frames) {
    const exit = frames.find(({ k }) => k === "exit");
    if (exit !== undefined) return exit.n;
  }
  throw new Error("the link ended before the agent");
}
