import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { lies } from "./lies.ts";
import {
  choose,
  chunksOf,
  cleanUp,
  type Driven,
  drive,
  temporaryDirectory,
  textOf,
} from "./testing/drive.ts";
import { parseRequest, words } from "./words.ts";

describe("reading a prompt", () => {
  const steps = (prompt: string) => parseRequest(prompt).steps.map((step) => step.word);

  test("a prompt without steps asks for the usual work", () => {
    expect(steps("Fix /usr/lib and and/say nothing")).toEqual(["work"]);
    expect(parseRequest("/slow=7 please")).toMatchObject({
      steps: [{ word: "work" }],
      manner: { slow: 7 },
    });
  });

  test("steps come in the order written, each with the text up to the next word", () => {
    expect(parseRequest("First /say hello  world /late=5 then /ask /count=3")).toMatchObject({
      steps: [
        { word: "say", text: "hello  world" },
        { word: "ask", number: 1 },
        { word: "count", number: 3 },
      ],
      manner: { late: 5 },
    });
  });

  test("a value that a word does not take is refused", () => {
    expect(() => parseRequest("/count=many")).toThrow("/count[=N]");
    expect(() => parseRequest("/lie=big")).toThrow(/\/lie\[=WHICH\], with one of denies, unknown/);
  });

  test("words in an injected history are not run again", () => {
    const prompt = `=== EXECUTION HISTORY ===
[USER]: /crash=1 /fork
=== CURRENT REQUEST ===
/say hello
=== INSTRUCTIONS ===
Do not repeat /exit=1 work.`;
    expect(parseRequest(prompt)).toMatchObject({
      steps: [{ word: "say", text: "hello" }],
      manner: {},
    });
    expect(steps(prompt)).toHaveLength(1);
  });
});

describe("what a word makes the agent say", () => {
  let agent: Driven;
  let session: string;

  beforeAll(async () => {
    agent = await drive({ cwd: temporaryDirectory(), state: temporaryDirectory() });
  });
  beforeEach(async () => {
    agent.clear();
    session = await agent.newSession();
  });
  afterAll(cleanUp);

  test.each(["/say", "/echo"])("%s streams only its text, word by word", async (word) => {
    expect(await agent.prompt(session, `${word} one two\nthree`)).toEqual({
      stopReason: "end_turn",
    });
    expect(chunksOf(agent.updates)).toEqual(["one", " two", "\nthree"]);
    expect(agent.updates).toHaveLength(3);
  });

  test("/count", async () => {
    await agent.prompt(session, "/count=4");
    expect(chunksOf(agent.updates)).toEqual(["<1>", " <2>", " <3>", " <4>"]);
  });

  test("/help names every word", async () => {
    await agent.prompt(session, "/help");
    for (const word of Object.keys(words)) expect(textOf(agent.updates)).toContain(`/${word}`);
    for (const lie of Object.keys(lies)) expect(textOf(agent.updates)).toContain(`\`${lie}\``);
  });

  test("/slow works in more chunks", async () => {
    await agent.prompt(session, "usual");
    const usual = agent.updates.splice(0);
    await agent.prompt(session, "/slow=2");
    expect(chunksOf(agent.updates).length).toBeGreaterThan(2 * chunksOf(usual).length);
  });

  test("/fail fails for good after some text", async () => {
    const data = { code: "policy", status: 400 };
    await expect(agent.prompt(session, "/fail")).rejects.toMatchObject({ data });
    expect(textOf(agent.updates)).toMatch(/^I begin/);
  });

  test("/transient fails as often as it says, and then does the work", async () => {
    const data = { code: "overloaded", status: 529 };
    for (let time = 1; time <= 2; time++) {
      const ask = () => agent.prompt(session, "/transient=2 /say at last");
      await expect(ask()).rejects.toMatchObject({ data });
      await expect(ask()).rejects.toMatchObject({ data });
      agent.clear();
      await ask();
      expect(textOf(agent.updates)).toBe("at last");
    }
  });

  test("/stall is silent until it is cancelled", async () => {
    const response = agent.prompt(session, "/stall");
    await agent.update((update) => update.sessionUpdate === "tool_call");
    await agent.cancel(session);
    expect(await response).toEqual({ stopReason: "cancelled" });
    expect(agent.updates).toMatchObject([
      { sessionUpdate: "tool_call", status: "in_progress" },
      { sessionUpdate: "tool_call_update", status: "failed" },
    ]);
  });

  test("/ask asks one question after another, and does only that", async () => {
    const options = ["allow_once", "reject_once", "allow_always"];
    agent.answer = () => choose(options.shift() ?? "");
    await agent.prompt(session, "/ask=3");
    expect(agent.asked.map((asked) => asked.toolCall.rawInput)).toEqual([
      { n: 1 },
      { n: 2 },
      { n: 3 },
    ]);
    expect(textOf(agent.updates)).toBe("Answer 1: once.\nAnswer 2: denied.\nAnswer 3: always.\n");
  });

  test("/vary asks something else each time", async () => {
    for (const _time of [1, 2]) await agent.prompt(session, "/vary /ask");
    const inputs = agent.asked.map((asked) => asked.toolCall.rawInput);
    expect(inputs).toEqual([
      { n: 1, turn: 1 },
      { n: 1, turn: 2 },
    ]);
  });

  test("/flood loses no chunk, and obeys a cancel in the middle", async () => {
    await agent.prompt(session, "/flood=5000");
    expect(textOf(agent.updates).trimEnd().split(" ").map(Number)).toEqual(
      Array.from({ length: 5000 }, (_, i) => i + 1),
    );
    agent.clear();
    const response = agent.prompt(session, "/flood=100000000");
    await agent.update((update) => textOf([update]) === "5001 ");
    await agent.cancel(session);
    expect(await response).toEqual({ stopReason: "cancelled" });
  });

  test("/bigline is one chunk", async () => {
    await agent.prompt(session, "/bigline=3000000");
    expect(chunksOf(agent.updates).map((chunk) => chunk.length)).toEqual([3_000_000]);
  });

  test("/noise is a line of its own that a client survives", async () => {
    await agent.prompt(session, "/say before /noise /say after");
    expect(agent.stdout().split("\n")).toContain("demo agent: this line is not JSON");
    expect(textOf(agent.updates)).toMatch(/^before.*after$/s);
  });

  test("/late says something between turns", async () => {
    await agent.prompt(session, "/late=1 /say in time");
    expect(textOf(agent.updates)).toBe("in time");
    await agent.update((update) => /One more thing/.test(textOf([update])));
  });
});

describe("what a word does to the process", () => {
  let cwd: string;
  let agent: Driven;
  let session: string;

  beforeEach(async () => {
    cwd = temporaryDirectory();
    agent = await drive({ cwd, state: temporaryDirectory() });
    session = await agent.newSession();
  });
  afterEach(cleanUp);

  test("/crash kills the process after exactly so many chunks", async () => {
    await expect(agent.prompt(session, "/crash=20 /count=40")).rejects.toThrow("closed");
    expect(await agent.exited).toBe("SIGKILL");
    expect(chunksOf(agent.updates)).toHaveLength(20);
  });

  test("/effect does what it may, once for each yes; /untold dies of it before it says so", async () => {
    const options = ["allow_once", "reject_once", "allow_once"];
    agent.answer = () => choose(options.shift() ?? "");
    await agent.prompt(session, "/effect=2");
    await expect(agent.prompt(session, "/untold /effect")).rejects.toThrow("closed");
    expect(await agent.exited).toBe("SIGKILL");
    expect(readFileSync(join(cwd, "effects.log"), "utf8")).toBe("1\n1\n");
    const ends = agent.updates.flatMap((update) =>
      update.sessionUpdate === "tool_call_update" ? [update.status] : [],
    );
    expect(ends).toEqual(["completed", "failed"]);
  });

  test("/die is a kill -9 without a word", async () => {
    await expect(agent.prompt(session, "/say one /die /say two")).rejects.toThrow("closed");
    expect(await agent.exited).toBe("SIGKILL");
    expect(textOf(agent.updates)).toBe("one");
  });

  test("/exit ends the process with its code", async () => {
    await expect(agent.prompt(session, "/exit=7")).rejects.toThrow("closed");
    expect(await agent.exited).toBe(7);
  });

  test("/fork leaves a process that outlives the agent and ignores SIGTERM", async () => {
    await agent.prompt(session, "/fork");
    await agent.kill("SIGKILL");
    const lines = () => readFileSync(join(cwd, "orphan.log"), "utf8").trimEnd().split("\n");
    const pid = Number(/Process (\d+)/.exec(textOf(agent.updates))?.[1]);
    const count = lines().length;
    try {
      process.kill(pid, "SIGTERM");
      await expect.poll(() => lines().length, { timeout: 10_000 }).toBeGreaterThan(count + 1);
      expect(lines().at(-1)).toMatch(new RegExp(` ${pid}$`));
    } finally {
      process.kill(pid, "SIGKILL");
    }
  });

  test("/deaf hears no cancel, no SIGTERM and no end of its stdin", async () => {
    await agent.prompt(session, "/deaf");
    agent.clear();
    const counting = agent.prompt(session, "/slow=5 /count=40 /stall");
    await agent.update((update) => update.sessionUpdate === "agent_message_chunk");
    await agent.cancel(session);
    agent.process.kill("SIGTERM");
    agent.endStdin();
    await agent.update((update) => update.sessionUpdate === "tool_call");
    expect(textOf(agent.updates)).toContain("<40>");
    expect(await agent.kill("SIGKILL")).toBe("SIGKILL");
    await expect(counting).rejects.toThrow("closed");
  });
});
