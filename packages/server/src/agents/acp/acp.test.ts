import { type ApprovalState, HostError, type Json, makeId } from "@holdfast/protocol";
import { type commands, parseCommand } from "@holdfast/protocol/schemas";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Frame } from "../../holder/spool/frames.ts";
import { freshSeed } from "../../session/rules/testing/random-story.ts";
import {
  errorOf,
  type Meaning,
  meaningOf,
  permissionResult,
  promptKey,
  sessionIdOf,
} from "./acp.ts";
import { KnownTools } from "./acp-tools.ts";

const id = <K extends Parameters<typeof makeId>[0]>(kind: K) => makeId(kind, 0, new Uint8Array(10));
const runId = id("run");
const approvalId = id("approval");
const prompted = { runId, attempt: 1 };
const key = promptKey(runId, 1);

const meaning = (frame: object, tools = new KnownTools()): Meaning =>
  meaningOf({ n: 1, ...frame } as unknown as Frame, tools);
const line = (line: unknown, tools?: KnownTools) => meaning({ k: "line", line }, tools);
const update = (update: unknown) => line({ method: "session/update", params: { update } });
const answer = (line: unknown) => meaning({ k: "response", key, line });
const asks = (params: unknown, tools?: KnownTools) =>
  line({ id: 7, method: "session/request_permission", params }, tools);
const nested = (depth: number): Json => JSON.parse("[".repeat(depth) + "]".repeat(depth));
const output = (...output: object[]) => ({ type: "output", output });

describe("an update", () => {
  const text = { type: "text", text: "hi" };
  it.each([
    [{ sessionUpdate: "agent_message_chunk", content: text }, text],
    [
      { sessionUpdate: "agent_thought_chunk", content: text },
      { type: "thinking", text: "hi" },
    ],
    [
      { sessionUpdate: "agent_message_chunk", content: { type: "image", data: "x" } },
      { type: "part", part: { type: "image", data: "x" } },
    ],
    [{ sessionUpdate: "plan" }, { type: "part", part: { type: "plan", entries: [] } }],
    [
      { sessionUpdate: "notice", type: "blob" },
      { type: "part", part: { sessionUpdate: "notice", type: "notice" } },
    ],
  ])("%j is output", (said, item) => {
    expect(update(said)).toEqual(output(item));
  });

  it.each([
    null,
    5,
    [],
    {},
    { sessionUpdate: {} },
    { sessionUpdate: "agent_message_chunk" },
    { sessionUpdate: "agent_message_chunk", content: [text] },
    { sessionUpdate: "tool_call" },
    { sessionUpdate: "usage_update" },
  ])("%j is nothing", (said) => {
    expect(update(said)).toEqual({ type: "nothing" });
  });

  it.each([
    ["too deep", nested(101), "nested deeper than 100 levels"],
    ["too large", "x".repeat(1024 * 1024), "larger than 1048576 bytes"],
    ["too large when written", "\0".repeat(200_000), "larger than 1048576 bytes"],
    ["no number of JSON", JSON.parse("[1e999]"), "a number too large"],
  ])("that is %s says so in its place", (_, entries, reason) => {
    const sha256 = expect.stringMatching(/^[0-9a-f]{64}$/);
    const part = { type: "unreadable", reason, sha256 };
    expect(update({ sessionUpdate: "plan", entries })).toEqual(output({ type: "part", part }));
  });

  it("is kept up to the journal's limit for nesting", () => {
    const start = (depth: number) => {
      const said = update({
        sessionUpdate: "tool_call",
        toolCallId: "a",
        rawInput: nested(depth),
      });
      expect(refusals(said)).toEqual([]);
      return said.type === "output" && said.output[0];
    };
    expect(start(100)).toMatchObject({ input: nested(100) });
    expect(start(101)).toMatchObject({ input: { type: "unreadable" } });
    expect(start(512)).toMatchObject({ input: { type: "unreadable" } });
  });
});

describe("a request", () => {
  it.each([
    null,
    1,
    [],
    {},
    { id: 1 },
    { id: 1, method: 5 },
    { id: 1, method: { toString: 1 } },
    { id: 1, method: null },
    { method: "fs/read_text_file" },
  ])("%j is nothing", (said) => {
    expect(line(said)).toEqual({ type: "nothing" });
  });

  it.each([null, 1, "a", 1.5, {}, [], "x".repeat(1000)])("with the id %j is answered", (id) => {
    expect(line({ id, method: "fs/read" })).toEqual({
      type: "unsupported",
      n: 1,
      method: "fs/read",
    });
  });
});

describe("a question", () => {
  it.each([undefined, null, 5, [], {}, { toolCall: [], options: {} }, { options: [null, 1, {}] }])(
    "with %j for params is still one",
    (params) => {
      expect(asks(params)).toEqual({
        type: "permission",
        n: 1,
        toolCallId: "question-1",
        toolName: "tool",
        input: { title: "" },
        exact: false,
        whole: null,
        said: [],
        options: [],
      });
    },
  );

  it("starts or updates its call when no update has described it yet", () => {
    const tools = new KnownTools();
    const params = { update: { sessionUpdate: "tool_call", toolCallId: "a", rawInput: {} } };
    line({ method: "session/update", params }, tools);
    const toolCall = { toolCallId: "a", title: "ls -a", rawInput: { command: "ls -a" } };
    const asked = asks({ toolCall }, tools);
    expect(asked).toMatchObject({
      said: [{ type: "tool_updated", name: "ls -a", input: { command: "ls -a" }, output: "" }],
    });
    // The same question again, as after a host crash, adds no output.
    expect(asks({ toolCall }, tools)).toMatchObject({ said: [] });
    const other = { toolCallId: "b", kind: "execute", rawInput: { command: "pwd" } };
    expect(asks({ toolCall: other }, tools)).toMatchObject({
      said: [{ type: "tool_started", toolCallId: "b", input: { command: "pwd" } }],
    });
  });

  it("names the tool that its call was announced with", () => {
    const tools = new KnownTools();
    const _meta = { claudeCode: { toolName: "Bash" } };
    const params = { update: { sessionUpdate: "tool_call", toolCallId: "a", _meta } };
    line({ method: "session/update", params }, tools);
    const toolCall = { toolCallId: "a", kind: "execute", rawInput: { command: "ls" } };
    expect(asks({ toolCall }, tools)).toMatchObject({ toolName: "Bash" });
  });

  it("has the input that its call was started with", () => {
    const tools = new KnownTools();
    const call = { toolCallId: "a", kind: "execute", rawInput: { command: "ls" } };
    const params = { update: { sessionUpdate: "tool_call", ...call } };
    line({ method: "session/update", params }, tools);
    expect(asks({ toolCall: { toolCallId: "a" } }, tools)).toMatchObject({
      toolCallId: "a",
      toolName: "execute",
      input: { command: "ls" },
    });
  });

  describe("without the input of its call, as Gemini puts it,", () => {
    const diff = (newText: string) => ({ type: "diff", path: "/w/a.txt", oldText: "a", newText });
    const text = { type: "content", content: { type: "text", text: "Writes a file." } };
    const edit = { toolCallId: "a", kind: "edit", title: "Writing to a.txt" };

    it("is about the change and its place, not about the title alone [P20] [S13]", () => {
      const locations = [{ path: "/w/a.txt" }];
      const [one, other] = ["b", "c"].map((newText) =>
        asks({ toolCall: { ...edit, content: [diff(newText)], locations } }),
      );
      expect(one).toMatchObject({
        input: { title: "Writing to a.txt", kind: "edit", content: [diff("b")], locations },
        exact: true,
      });
      expect(other).not.toEqual(one);
    });

    it("has the content that its call was announced with", () => {
      const tools = new KnownTools();
      const update = { sessionUpdate: "tool_call", ...edit, content: [diff("b")] };
      line({ method: "session/update", params: { update } }, tools);
      const toolCall = { toolCallId: "a", title: "Writing to a.txt" };
      expect(asks({ toolCall }, tools)).toMatchObject({
        input: { title: "Writing to a.txt", content: [diff("b")] },
        exact: true,
      });
    });

    it.each([
      ["a title", {}],
      ["a title, an empty input and no content", { rawInput: {}, content: [], locations: [] }],
      ["an explanation", { content: [text] }],
      ["the file that would be changed", { locations: [{ path: "/w/a.txt" }] }],
    ])("does not say what would run by %s alone [P20]", (_what, more) => {
      expect(asks({ toolCall: { ...edit, ...more } })).toMatchObject({ exact: false });
    });

    it.each([
      ["a place that is only read", { kind: "read", locations: [{ path: "/w/a.txt" }] }],
      ["a tool that takes nothing", { rawInput: {}, _meta: { claudeCode: { toolName: "x" } } }],
    ])("says what would run by %s", (_what, more) => {
      expect(asks({ toolCall: { ...edit, ...more } })).toMatchObject({ exact: true });
    });
  });

  it("about the same input is equal again, whatever numbers its call has", () => {
    const [one, other] = ["a", "b"].map((toolCallId, at) => {
      const numbers = { call_id: toolCallId, turn_id: `t${at}`, started_at_ms: at };
      return asks({ toolCall: { toolCallId, rawInput: { command: ["ls"], ...numbers } } });
    });
    const input = { command: ["ls"] };
    expect([one, other].map((asked) => asked?.type === "permission" && asked.input)).toEqual([
      ...[input, input],
    ]);
  });

  it("keeps numbers that are part of what is asked", () => {
    const rawInput = { call_id: "of another", turn_id: "t" };
    expect(asks({ toolCall: { toolCallId: "a", rawInput } })).toMatchObject({ input: rawInput });
  });

  it("about an unreadable input differs from a question about another one", () => {
    const [one, other] = ["a", "b"].map((end) =>
      asks({ toolCall: { rawInput: "x".repeat(300_000) + end } }),
    );
    expect(one).toMatchObject({ input: { type: "unreadable" }, whole: expect.any(String) });
    expect(one).not.toEqual(other);
  });

  it("too large for an event also has its whole input as canonical JSON, unless it is flawed in another way", () => {
    const command = "x".repeat(300_000);
    const asked = asks({ toolCall: { rawInput: { z: 1, command } } });
    expect(asked).toMatchObject({ whole: JSON.stringify({ command, z: 1 }) });
    let deep: Json = command;
    for (let n = 0; n < 200; n++) deep = [deep];
    expect(asks({ toolCall: { rawInput: deep } })).toMatchObject({ whole: null });
  });

  it("has only options that can be given back, and not too many", () => {
    const options = [
      { optionId: "x".repeat(201), kind: "allow_once" },
      { optionId: "\ud800", kind: "allow_once" },
      { optionId: "yes", kind: "k".repeat(60), name: "n".repeat(300) },
      ...Array.from({ length: 30 }, (_, i) => ({ optionId: `${i}`, kind: 5 })),
    ];
    const asked = asks({ options });
    if (asked.type !== "permission") throw new Error(asked.type);
    expect(asked.options).toHaveLength(16);
    expect(asked.options.slice(0, 2)).toEqual([
      { id: "yes", kind: "k".repeat(50), name: "n".repeat(200) },
      { id: "0", kind: "", name: "" },
    ]);
  });
});

describe("the answer to a question", () => {
  const options = ["allow_once", "allow_always", "reject_once", "reject_always"].map((kind) => ({
    id: `${kind} id`,
    kind,
    name: kind,
  }));
  const asked = { reason: null } as unknown as ApprovalState;
  const given = (decision: ApprovalState["decision"], offered = options) =>
    permissionResult({ ...asked, decision, options: offered }).outcome;

  it("is the agent's own option of that kind: a denial is never one that allows", () => {
    expect(given("deny")).toEqual({ outcome: "selected", optionId: "reject_once id" });
    expect(given("allow")).toEqual({ outcome: "selected", optionId: "allow_once id" });
    expect(given("deny", options.slice(3))).toMatchObject({ optionId: "reject_always id" });
    expect(given("deny", options.slice(0, 2))).toEqual({ outcome: "cancelled" });
    expect(given("allow", options.slice(2))).toEqual({ outcome: "cancelled" });
    expect(given(null)).toMatchObject({ optionId: "reject_once id" });
  });

  it("has the reason of a denial in its metadata, and none of an approval", () => {
    const because = (decision: ApprovalState["decision"]) =>
      permissionResult({ ...asked, decision, options, reason: "use the staging host" })._meta;
    expect(because("deny")).toEqual({ holdfast: { reason: "use the staging host" } });
    expect(because("allow")).toBeUndefined();
  });
});

describe("an answer to a prompt", () => {
  const usage = { inputTokens: 1, outputTokens: 2 };
  it.each([
    [{ result: { stopReason: "max_tokens" } }, "max_tokens", null],
    [{ result: { stopReason: "end_turn", usage }, error: null }, "end_turn", usage],
    [{ result: null }, "end_turn", null],
    [{ result: [1] }, "end_turn", null],
    [
      { result: { stopReason: 5, usage: { inputTokens: -1, outputTokens: 1.5 } } },
      "end_turn",
      { inputTokens: 0, outputTokens: 0 },
    ],
  ])("%j ends it", (said, stopReason, used) => {
    expect(answer(said)).toEqual({
      type: "ended",
      ...prompted,
      stopReason,
      usage: used,
      lastMessageId: null,
    });
  });

  const none = "The agent gave no reason.";
  it.each([
    [{}, none],
    [null, none],
    [[], none],
    [{ error: null }, none],
    [{ error: "words" }, "words"],
    [{ error: 5 }, "5"],
    [{ error: false, result: {} }, none],
    [{ error: ["words"] }, none],
    [{ error: {} }, none],
    [{ error: { message: { toString: 1 } } }, none],
    [{ error: { message: 5 } }, "5"],
    [{ error: { message: "no", data: "why" } }, "no: why"],
    [{ error: { message: "no", data: { details: "why" } } }, "no: why"],
  ])("%j fails it", (said, message) => {
    const error = { code: "agent_error", message };
    expect(answer(said)).toEqual({ type: "failed", ...prompted, error });
  });

  it.each([99, 600, 429.5, "429", 1e300, Number.POSITIVE_INFINITY, null, {}])(
    "has no status of %j",
    (status) => {
      expect(errorOf({ data: { status } })).not.toHaveProperty("status");
    },
  );

  it("has the provider's status, its code, and bounded words", () => {
    const data = { status: 429, code: "c".repeat(500), details: "d".repeat(5000) };
    const error = errorOf({ code: -32_603, message: `${"m".repeat(3999)}😀`, data });
    expect(error).toEqual({
      status: 429,
      code: "c".repeat(200),
      message: `${"m".repeat(3999)}�`,
    });
    expect(errorOf({ code: -32_000 }).code).toBe("auth_required");
  });

  it("under another key is passed on, and a null error is removed", () => {
    const said = { id: 1, result: {}, error: null };
    expect(meaning({ k: "response", key: "new", line: said })).toEqual({
      type: "answer",
      key: "new",
      line: { id: 1, result: {} },
    });
  });

  it("names a session only by an id that can be given back", () => {
    expect(sessionIdOf({ sessionId: "s" })).toBe("s");
    for (const sessionId of ["", "s".repeat(201), "\ud800", 5, null]) {
      expect(sessionIdOf({ sessionId })).toBeNull();
    }
  });
});

describe("the holder's own frames", () => {
  const exit = { k: "exit", code: null, signal: null, reason: null, stderr: "" };
  it.each([
    [
      { k: "sent", key },
      { type: "accepted", ...prompted },
    ],
    [{ k: "sent", key: "cancel/1" }, { type: "nothing" }],
    [{ k: "sent", key: `prompt/${runId}/x` }, { type: "nothing" }],
    [
      { k: "answered", key: `answer/${approvalId}` },
      { type: "delivered", approvalId },
    ],
    [{ k: "answered", key: "refuse/1" }, { type: "nothing" }],
    [exit, { type: "exited", reason: "gone" }],
    [
      { ...exit, code: 3, stderr: "a\nwhy\n" },
      { type: "exited", reason: "exit code 3: why" },
    ],
    [
      { ...exit, reason: "r".repeat(300), signal: "s".repeat(300), stderr: "x".repeat(5000) },
      { type: "exited", reason: expect.stringMatching(/^.{200}$/) },
    ],
    [
      { ...exit, signal: "SIGTERM", reason: "asked", stderr: "bye" },
      { type: "exited", reason: "asked (SIGTERM)" },
    ],
    [{ k: "noise", text: "x", bytes: 1 }, { type: "nothing" }],
    [{ k: "of a later version" }, { type: "nothing" }],
  ])("%j", (frame, expected) => {
    expect(meaning(frame)).toEqual(expected);
  });
});

/** Reasons for which the journal's rules would refuse the meaning. */
function refusals(meaning: Meaning): string[] {
  const refused = (name: keyof typeof commands, input: unknown) => {
    const parsed = parseCommand(name, input);
    return parsed instanceof HostError ? [parsed.message] : [];
  };
  switch (meaning.type) {
    case "output": {
      const { output } = meaning;
      // The output must fit next to a group that is about to be written.
      if (output.length > 500) return ["too much at once"];
      return [...refused("record", { ...prompted, output }), ...refused("speak", { output })];
    }
    case "accepted":
      return refused("accept", { ...meaning, holderId: null });
    case "delivered":
      return refused("deliver", { runId, approvalId: meaning.approvalId });
    case "permission": {
      const token = { hash: "0".repeat(64), expiresAt: null };
      const askedBy = { holderId: id("holder"), n: meaning.n };
      return refused("requestApproval", { ...meaning, ...prompted, askedBy, token });
    }
    case "ended":
      return refused("complete", {
        ...meaning,
        usage: meaning.usage ?? undefined,
        lastMessageId: meaning.lastMessageId ?? undefined,
      });
    case "failed":
      return refused("failAttempt", meaning);
    case "exited":
      return refused("agentExited", meaning);
    default:
      return [];
  }
}

describe("any agent output", () => {
  const scalar = fc.constantFrom<unknown>(
    ...[null, "", "\ud800", 0, -1, 1e308, 2 ** 53, Number.POSITIVE_INFINITY, true],
    ...["x".repeat(600), "😀".repeat(300), nested(100), nested(400), { toString: 1 }],
    ...[JSON.parse('{"__proto__":{"a":1},"length":3}')],
  );
  const any = fc.oneof(scalar, fc.jsonValue({ maxDepth: 4 }), fc.string({ unit: "binary" }));
  /** Yields mostly expected words and shapes, so that the checks behind them are reached. */
  const mostly = (...expected: unknown[]) =>
    fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...expected) }, { weight: 1, arbitrary: any });
  const shaped = (shape: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<unknown> =>
    fc.oneof(
      { weight: 6, arbitrary: fc.record(shape, { requiredKeys: [] }) },
      { weight: 1, arbitrary: any },
    );
  const list = (item: fc.Arbitrary<unknown>) =>
    fc.oneof({ weight: 4, arbitrary: fc.array(item, { maxLength: 20 }) }, any);

  const block = shaped({ type: mostly("text", "image"), text: any, data: any });
  const item = shaped({
    type: mostly("content", "diff", "terminal"),
    content: block,
    path: mostly("a", "b"),
    newText: any,
    oldText: any,
  });
  const toolCall = {
    toolCallId: mostly("a", "b"),
    title: any,
    kind: any,
    rawInput: any,
    rawOutput: any,
    status: mostly("pending", "completed", "failed"),
    content: list(item),
    _meta: shaped({ claudeCode: shaped({ toolName: any }) }),
  };
  const updates = shaped({
    ...toolCall,
    sessionUpdate: mostly("agent_message_chunk", "tool_call", "tool_call_update", "plan", "notice"),
    content: fc.oneof(block, list(item)),
    entries: any,
  });
  const option = shaped({ optionId: any, kind: mostly("allow_once"), name: any });
  const params = shaped({ update: updates, toolCall: shaped(toolCall), options: list(option) });
  const data = shaped({ status: mostly(429), code: any, details: any, message: any });
  const written = shaped({
    id: any,
    method: mostly("session/update", "session/request_permission", "x"),
    params,
    result: shaped({
      stopReason: any,
      _meta: shaped({ holdfast: shaped({ lastMessage: any }) }),
      usage: shaped({ inputTokens: any, outputTokens: any }),
    }),
    error: shaped({ code: mostly(-32_000), message: any, data }),
  });
  const keys = mostly(key, `answer/${approvalId}`, "prompt/x/1", `prompt/${runId}/0`, "new");
  const frame = fc.record({
    n: mostly(1, 2),
    key: keys,
    line: written,
    to: any,
    text: any,
    bytes: any,
    k: mostly("line", "line", "line", "response", "sent", "answered", "exit", "noise", "launched"),
    code: any,
    signal: any,
    reason: any,
    stderr: any,
    lost: any,
    dead: any,
    discarded: any,
  });

  it("is parsed without an exception, and never into a command that the journal refuses", () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(fc.array(frame, { minLength: 1, maxLength: 6 }), (frames) => {
        const tools = new KnownTools();
        for (const frame of frames) {
          const said = meaning(frame, tools);
          seen.add(said.type);
          expect(refusals(said)).toEqual([]);
        }
      }),
      { numRuns: 3000, seed: freshSeed("acp frames") },
    );
    expect([...seen].sort()).toEqual(
      [
        ...["accepted", "answer", "delivered", "ended", "exited", "failed", "nothing", "output"],
        ...["permission", "unsupported"],
      ].sort(),
    );
  }, 60_000);
});
