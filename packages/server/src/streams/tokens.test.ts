import type { SessionId } from "@holdfast/protocol";
import { afterEach, describe, expect, test } from "vitest";
import { done, scriptedAgent } from "../testing/scripted-agent.ts";
import { type TestHost, testHost } from "../testing/test-host.ts";
import { Reader } from "./testing/reader.ts";
import { type TestStreams, testStreams } from "./testing/served.ts";
import { TestSocket } from "./testing/socket.ts";
import { RunTokens } from "./tokens.ts";

const limits = { keptTokens: 3, creators: 100 };
const agent = () =>
  scriptedAgent("demo", () => [
    { type: "await", kind: "external", deadlineAt: "2026-01-02T00:00:00.000Z" },
    done(),
  ]);

interface Waiting {
  readonly host: TestHost;
  readonly session: SessionId;
  readonly runId: string;
  readonly messageId: string;
}

async function waitingRun(): Promise<Waiting> {
  const host = await testHost({ agents: [agent()] });
  const session = await host.newSession();
  await host.sessions.execute(session, "prompt", { content: "wait" });
  const { runId, messageId } = await host.until(session, "run.started");
  await host.until(session, "token.minted");
  return { host, session, runId, messageId };
}

/** A follower that records tokens, or one that cannot be reached. */
function inbox(isThere = true) {
  const got: string[] = [];
  const deliver = (runId: string, token: string) => {
    if (isThere) got.push(`${runId} ${token}`);
    return isThere;
  };
  return { got, deliver };
}

describe("a resume token", () => {
  test("is sent once, to one live follower of the run's creator", async () => {
    const { host, session, runId } = await waitingRun();
    const tokens = new RunTokens(host.sessions, limits);
    tokens.created(runId, "ann");
    const [first, second, bob, elsewhere] = [inbox(), inbox(), inbox(), inbox()];
    tokens.follow(session, "ann", first.deliver);
    tokens.follow(session, "ann", second.deliver);
    tokens.follow(session, "bob", bob.deliver);
    tokens.follow(await host.newSession(), "ann", elsewhere.deliver);
    await tokens.offer(session, runId, "secret");
    expect([first.got, second.got, bob.got, elsewhere.got]).toEqual([
      [],
      [`${runId} secret`],
      [],
      [],
    ]);
    const late = inbox();
    tokens.follow(session, "ann", late.deliver);
    expect(late.got).toEqual([]);
    await host.close();
  });

  test("waits for its creator, and skips followers that cannot be reached", async () => {
    const { host, session, runId } = await waitingRun();
    const tokens = new RunTokens(host.sessions, limits);
    tokens.created(runId, "ann");
    const [gone, bob, ann] = [inbox(false), inbox(), inbox()];
    tokens.follow(session, "ann", gone.deliver);
    await tokens.offer(session, runId, "secret");
    tokens.follow(session, "bob", bob.deliver);
    tokens.follow(session, "ann", ann.deliver);
    expect([bob.got, ann.got]).toEqual([[], [`${runId} secret`]]);
    await host.close();
  });

  test("of a run whose message was queued belongs to the message's sender", async () => {
    const { host, session, runId, messageId } = await waitingRun();
    const tokens = new RunTokens(host.sessions, limits);
    tokens.created(messageId, "ann");
    const ann = inbox();
    tokens.follow(session, "ann", ann.deliver);
    await tokens.offer(session, runId, "secret");
    expect(ann.got).toEqual([`${runId} secret`]);
    await host.close();
  });

  test("of a run with an unknown creator is sent to no one", async () => {
    const { host, session, runId } = await waitingRun();
    const tokens = new RunTokens(host.sessions, limits);
    const ann = inbox();
    tokens.follow(session, "ann", ann.deliver);
    await tokens.offer(session, runId, "secret");
    await tokens.offer(host.sessions.newId("session"), runId, "secret");
    tokens.created(runId, "ann");
    tokens.follow(session, "ann", ann.deliver);
    expect(ann.got).toEqual([]);
    await host.close();
  });

  test("is dropped with its run, and only a limited number is kept", async () => {
    const { host, session, runId } = await waitingRun();
    const tokens = new RunTokens(host.sessions, limits);
    tokens.created(runId, "ann");
    for (const token of ["1", "2", "3", "4"]) await tokens.offer(session, runId, token);
    const ann = inbox();
    const leave = tokens.follow(session, "ann", ann.deliver);
    expect(ann.got).toEqual([`${runId} 2`, `${runId} 3`, `${runId} 4`]);
    leave();
    await tokens.offer(session, runId, "5");
    await host.sessions.execute(session, "cancel", { runId });
    await host.until(session, "run.cancelled");
    tokens.follow(session, "ann", ann.deliver);
    await tokens.offer(session, runId, "6");
    expect(ann.got).toHaveLength(3);
    await host.close();
  });
});

describe("over the wire", () => {
  let served: TestStreams;
  afterEach(() => served.close());

  test("is a named frame on a stream and a message on a socket, for its creator alone", async () => {
    const { host, session, runId } = await waitingRun();
    served = await testStreams({ host });
    const { tokens } = served.streams;
    tokens.created(runId, "ann");
    await tokens.offer(session, runId, "kept");
    const bob = await Reader.open(served.sse(session, { as: "bob" }));
    const ann = await Reader.open(served.sse(session, { as: "ann" }));
    await ann.until((reader) => reader.named("token").length === 1);
    expect(ann.named("token")).toEqual([{ runId, token: "kept" }]);
    const socket = await TestSocket.open(served.port, "ann");
    socket.say({ type: "subscribe", session });
    await socket.next("subscribed");
    await tokens.offer(session, runId, "live");
    expect(await socket.next("token")).toEqual({ type: "token", session, runId, token: "live" });
    await host.sessions.execute(session, "rename", { title: "the end" });
    await bob.until(({ frames }) => frames.some(({ data }) => data.includes("the end")));
    expect(bob.named("token")).toEqual([]);
    expect(ann.named("token")).toHaveLength(1);
  });
});
