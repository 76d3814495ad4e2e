import { readFileSync } from "node:fs";
import { afterAll, afterEach, expect, test } from "vitest";
import { readSpool } from "./host-side/read-spool.ts";
import { agentSpec, endHolders, removeHolders, startHolder, until } from "./testing/holders.ts";

afterEach(endHolders);
afterAll(removeHolders);

const atOnce = { stdinMs: 0, termMs: 0 };
const patient = { stdinMs: 10_000, termMs: 10_000 };

test("a request under one key reaches the agent once, however often and by any host it is sent", async () => {
  const holder = await startHolder();
  const heard = holder.file("heard");
  const first = await holder.connect();
  await first.launched(agentSpec(`--heard=${heard}`));
  for (let i = 0; i < 3; i++) first.link.request("prompt/1", "hold", { i });
  first.link.request("echo/1", "echo", { by: "first" });
  first.link.notify("cancel/1", "hold", {});
  await first.sees("response");
  first.link.close();

  for (let epoch = 2; epoch < 5; epoch++) {
    const host = await holder.connect({ epoch, acked: first.last });
    host.link.request("prompt/1", "hold", { epoch });
    host.link.request("echo/1", "echo", { epoch });
    host.link.notify("cancel/1", "hold", { epoch });
    expect(await host.asks(`echo/${epoch}`, "echo", { epoch })).toEqual({ epoch });
    const line = { jsonrpc: "2.0", id: 2, result: { by: "first" } };
    expect(host.replies).toEqual([{ t: "reply", key: "echo/1", line }]);
    host.link.close();
  }

  const lines = readFileSync(heard, "utf8").trim().split("\n");
  const asked = lines.map((line) => JSON.parse(line) as { id?: number; method: string });
  expect(asked.map(({ id, method }) => [id, method])).toEqual([
    [1, "hold"],
    [2, "echo"],
    [undefined, "hold"],
    [3, "echo"],
    [4, "echo"],
    [5, "echo"],
  ]);
});

test("all frames are numbered in one stream, and an order's frame precedes the agent's reaction", async () => {
  const holder = await startHolder();
  const host = await holder.connect();
  await host.launched();
  await host.asks("echo/1", "echo");
  host.link.request("ask/1", "ask", { id: 0, what: "may I" });
  const question = await host.sees("line");
  host.link.answer("answer/1", question.n, { result: "yes" });
  await host.sees("line", ({ line }) => line.method === "heard");
  expect(host.frames.map(({ n, k }) => `${n} ${k}`)).toEqual([
    ...["1 launched", "2 sent", "3 response", "4 sent", "5 line", "6 answered", "7 line"],
  ]);
});

test("orders right after a launch reach the agent whole and in order", async () => {
  const holder = await startHolder();
  const host = await holder.connect();
  host.link.launch("launch/1", agentSpec());
  for (let i = 0; i < 100; i++) host.link.request(`echo/${i}`, "echo", { i });
  await until("answers", () => host.of("response").length === 100);
  expect(host.of("response").map(({ line }) => line.result)).toEqual(
    Array.from({ length: 100 }, (_, i) => ({ i })),
  );
});

test("a question is answered once, by its frame, even when an agent reuses ids", async () => {
  const holder = await startHolder();
  const host = await holder.connect();
  await host.launched();
  for (const what of ["a", "b"]) host.link.notify(`ask/${what}`, "ask", { id: 0, what });
  host.link.notify("ask/c", "ask", { id: "uuid-é", what: "c" });
  const [a, b, c] = await until("questions", () => host.of("line").length === 3 && host.of("line"));
  host.link.answer("answer/b", b?.n ?? 0, { result: "to b" });
  host.link.answer("answer/b", b?.n ?? 0, { result: "to b again" });
  host.link.answer("answer/c", c?.n ?? 0, { error: { code: 1, message: "no" } });
  host.link.close();

  const next = await holder.connect({ epoch: 2, acked: host.last });
  next.link.answer("answer/b", b?.n ?? 0, { result: "to b, from another host" });
  next.link.answer("answer/a", a?.n ?? 0, { result: "to a" });
  next.link.answer("answer/nobody", 4711, { result: "to nobody" });
  await next.asks("echo/1", "echo");
  const told = [...host.frames, ...next.frames].flatMap((frame) =>
    frame.k === "line" && frame.line.method === "heard" ? [frame.line.params] : [],
  );
  expect(told).toEqual([
    { id: 0, result: "to b", error: null },
    { id: "uuid-é", result: null, error: { code: 1, message: "no" } },
    { id: 0, result: "to a", error: null },
  ]);
});

test("an exit closes all open requests, and a new agent can be launched under a new key", async () => {
  const holder = await startHolder();
  const host = await holder.connect();
  await host.launched();
  host.link.request("prompt/1", "hold", {});
  host.link.request("ask/1", "ask", { id: 7 });
  const question = await host.sees("line");
  host.link.notify("exit/1", "exit", { code: 3, stderr: "\u001b[31mwhy\u0007" });
  const exit = await host.sees("exit");
  expect(exit).toMatchObject({
    code: 3,
    signal: null,
    reason: null,
    discarded: 0,
    lost: ["prompt/1", "ask/1"],
    dead: [question.n],
    stderr: "\u001b[31mwhy\u0007",
  });

  host.link.launch("launch/1", agentSpec());
  host.link.request("prompt/1", "hold", {});
  host.link.request("prompt/2", "hold", {});
  await until("refusal", () => host.refusals[0]);
  expect(host.refusals).toMatchObject([{ key: "prompt/2", code: "no_agent" }]);
  expect(host.replies).toEqual([{ t: "reply", key: "prompt/1", line: null }]);

  await host.launched(agentSpec(), "launch/2");
  host.link.answer("late", question.n, { result: "to the dead" });
  expect(await host.asks("prompt/2", "echo", { now: "it" })).toEqual({ now: "it" });
  host.link.launch("launch/3", agentSpec());
  await until("refusal", () => host.refusals[1]);
  expect(host.refusals[1]).toMatchObject({ key: "launch/3", code: "agent_runs" });
  expect(host.of("answered")).toEqual([]);
});

test("an agent that is being ended gets no more requests, and no frame claims it did", async () => {
  const holder = await startHolder();
  const host = await holder.connect();
  await host.launched();
  host.link.end({ stdinMs: 0, termMs: 0 }, false);
  host.link.request("prompt/1", "hold", {});
  await until("refusal", () => host.refusals[0]);
  expect(host.refusals).toMatchObject([{ key: "prompt/1", code: "no_agent" }]);
  expect(await host.sees("exit")).toMatchObject({ lost: [] });
  expect(host.of("sent")).toEqual([]);
});

test("a request whose id is too long to repeat is reported as noise", async () => {
  const holder = await startHolder();
  const host = await holder.connect();
  await host.launched();
  const line = `${JSON.stringify({ id: "x".repeat(100_000), method: "ask" })}\n`;
  host.link.notify("raw/1", "raw", { base64: Buffer.from(line).toString("base64") });
  expect(await host.sees("noise")).toMatchObject({ bytes: line.length - 1 });
  expect(host.of("line")).toEqual([]);
});

test("output that is not JSON-RPC is reported as noise, and the bytes of a line stay unchanged", async () => {
  const holder = await startHolder();
  const host = await holder.connect();
  await host.launched();
  const raw = (key: string, bytes: string | Uint8Array) =>
    host.link.notify(key, "raw", { base64: Buffer.from(bytes as string).toString("base64") });
  raw("raw/1", "hello\r\n[1]\n\n");
  raw("raw/2", '{"method":"big","params":[12345678901234567890, 1e400 ,"\\u00e9"]}\n');
  raw("raw/3", Buffer.from('{"method":"cut","params":"\xff"}\n', "latin1"));
  raw("raw/4", `${"n".repeat(10_000)}\n`);
  await until("noise", () => host.of("noise").length === 4);
  expect(host.of("noise").map(({ text, bytes }) => [text.length, bytes])).toEqual([
    ...[
      [6, 6],
      [3, 3],
      [0, 0],
      [4096, 10_000],
    ],
  ]);
  expect(host.of("line").map(({ line }) => [line.method, line.params])).toEqual([
    ["big", [12345678901234567000, Number.POSITIVE_INFINITY, "é"]],
    ["cut", "\ufffd"],
  ]);
  const spooled = readFileSync(`${holder.dir}/spool/${"1".padStart(16, "0")}`, "latin1");
  expect(spooled).toContain(
    '"line":{"method":"big","params":[12345678901234567890, 1e400 ,"\\u00e9"]}}',
  );
});

test.each([true, false])(
  "an agent gets exactly its environment, directory and stdio (namespace: %s)",
  async (namespaces) => {
    const holder = await startHolder({ namespaces });
    const host = await holder.connect();
    const spec = agentSpec();
    const env = { ...spec.env, ODD: "a'b\"c $d\n\\e", EMPTY: "" };
    await host.launched({ ...spec, env, cwd: holder.dir });
    const around = (await host.asks("look", "surroundings")) as Record<string, string[]>;
    const expected = { ...env, HOLDFAST_HOLDER: holder.id };
    expect(around.environment?.toSorted()).toEqual(
      Object.entries(expected)
        .map(([name, value]) => `${name}=${value}`)
        .toSorted(),
    );
    expect(around.cwd).toBe(holder.dir);
    host.link.launch("odd", { ...spec, env: { "A.B": "dropped by a shell" } });
    expect(await until("refusal", () => host.refusals[0])).toMatchObject({
      code: "bad_message",
      key: "odd",
    });
  },
);

test("an agent is ended by its stdin, then by SIGTERM, then by SIGKILL", async () => {
  const holder = await startHolder();
  const host = await holder.connect();
  const ended = async (key: string, options: string[], ending: typeof atOnce) => {
    await host.launched(agentSpec(...options), key);
    await host.asks(`${key}/up`, "echo");
    const before = host.of("exit").length;
    host.link.end(ending, false);
    const exit = await until("exit", () => host.of("exit")[before]);
    return [exit.code, exit.signal, exit.reason];
  };
  expect(await ended("a", [], patient)).toEqual([0, null, "asked"]);
  const untilTerm = { stdinMs: 0, termMs: 10_000 };
  expect(await ended("b", ["--ignores-end"], untilTerm)).toEqual([null, "SIGTERM", "asked"]);
  const deaf = ["--ignores-end", "--ignores-term"];
  expect(await ended("c", deaf, atOnce)).toEqual([null, "SIGKILL", "asked"]);
  expect(await ended("d", deaf, { stdinMs: 50, termMs: 50 })).toEqual([null, "SIGKILL", "asked"]);
});

test("an agent launched right after another's end is not killed in its place", async () => {
  const holder = await startHolder();
  const host = await holder.connect();
  for (let i = 0; i < 8; i++) {
    await host.launched(agentSpec("--ignores-end", "--ignores-term"), `launch/${i}`);
    await host.asks(`up/${i}`, "echo");
    host.link.end(atOnce, false);
    await until("exit", () => host.of("exit").length === i + 1);
  }
});

test("an end that takes too long can be made faster", async () => {
  const holder = await startHolder({ namespaces: false });
  const host = await holder.connect();
  await host.launched(agentSpec("--ignores-end", "--ignores-term"));
  await host.asks("up", "echo");
  host.link.end(patient, false);
  host.link.end(atOnce, false);
  expect(await host.sees("exit")).toMatchObject({ signal: "SIGKILL", reason: "asked" });
});

test("a failed launch is an exit with the reason, and its key is lost", async () => {
  const holder = await startHolder();
  const host = await holder.connect();
  host.link.launch("launch/1", { ...agentSpec(), cwd: "/nowhere" });
  host.link.request("prompt/1", "echo", {});
  const exit = await host.sees("exit");
  expect(exit).toMatchObject({ reason: "launch_failed", code: null });
  expect(exit.lost).toContain("launch/1");
  expect(exit.stderr).toContain("ENOENT");

  host.link.launch("launch/2", { ...agentSpec(), args: ["x".repeat(3_000_000)] });
  const tooLong = await host.sees("exit", ({ lost }) => lost.includes("launch/2"));
  expect(tooLong.stderr).toContain("E2BIG");

  await host.launched({ ...agentSpec(), command: "/nowhere/agent" }, "launch/3");
  const missing = await host.sees("exit", ({ code }) => code === 127);
  expect(missing.stderr).toContain("/nowhere/agent");
});

test("a holder leaves when its last frame is acknowledged, and its spool stays", async () => {
  const holder = await startHolder();
  const host = await holder.connect({ acks: false });
  await host.launched();
  host.link.end(patient, true);
  const { n } = await host.sees("exit");
  const second = await holder.connect({ epoch: 2, acks: false });
  await second.sees("exit");
  expect(second.frames).toEqual(host.frames);
  expect(await host.over()).toBeUndefined();
  expect(host.refusals).toMatchObject([{ key: null, code: "replaced" }]);
  second.link.ack(n);
  expect(await second.over()).toBeUndefined();
  expect(second.refusals).toEqual([]);
  expect(holder.log).toBe("");
});

test("on SIGTERM a holder ends its agent and leaves its spool to the next host", async () => {
  const holder = await startHolder();
  const host = await holder.connect({ acks: false });
  await host.launched();
  await host.asks("up", "echo");
  host.link.close();
  for (const signal of ["SIGHUP", "SIGINT", "SIGPIPE"] as const) process.kill(holder.pid, signal);
  const still = await holder.connect({ epoch: 2, acks: false });
  still.link.close();
  process.kill(holder.pid, "SIGTERM");
  await until("its end", () => !holder.isThere);
  const frames = [...readSpool(holder.dir, 0)].flat();
  expect(frames.at(-1)).toMatchObject({ k: "exit", reason: "stopped", lost: [] });
  expect(holder.processes()).toEqual([]);
});
