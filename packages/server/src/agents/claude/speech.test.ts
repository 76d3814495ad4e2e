import type { SessionUpdate } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import { textOf } from "../demo/testing/drive.ts";
import { replayOfMessages } from "./replay.ts";
import { Speech } from "./speech.ts";
import {
  assistant,
  begin,
  done,
  event,
  piece,
  text,
  thinking,
  toolResult,
  toolUse,
  user,
} from "./testing/says.ts";

function heard(...messages: unknown[]): SessionUpdate[] {
  const speech = new Speech();
  // Narrows the type to the stable protocol: the bridge sends only stable updates.
  return messages.flatMap((message) => speech.hear(message)) as SessionUpdate[];
}

const words = (index: number, text: string) => piece(index, { type: "text_delta", text });
const thought = (index: number, thinking: string) =>
  piece(index, { type: "thinking_delta", thinking });

test("streamed text is not sent again when its whole block arrives", () => {
  const updates = heard(
    begin(),
    thought(0, "Hm"),
    thought(0, "m."),
    assistant(thinking("Hmm.")),
    words(1, "Good "),
    words(1, "day."),
    assistant(text("Good day.")),
    done,
  );
  expect(updates).toMatchObject([
    { sessionUpdate: "agent_thought_chunk", content: { text: "Hm" } },
    { sessionUpdate: "agent_thought_chunk", content: { text: "m." } },
    { sessionUpdate: "agent_message_chunk", content: { text: "Good " } },
    { sessionUpdate: "agent_message_chunk", content: { text: "day." } },
  ]);
});

test("two blocks with the same text are both sent", () => {
  const updates = heard(
    ...[begin(), words(0, "Yes."), assistant(text("Yes."))],
    ...[words(1, "Yes."), assistant(text("Yes."))],
    ...[begin("msg_2"), words(0, "Yes."), assistant(text("Yes."), { id: "msg_2" })],
  );
  expect(textOf(updates)).toBe("Yes.Yes.Yes.");
});

test("text that was not streamed, or not to its end, is sent with its whole block", () => {
  const synthetic = assistant(text("API Error"), { id: "synthetic" });
  const updates = heard(begin(), words(0, "Good "), assistant(text("Good day. ")), synthetic);
  expect(textOf(updates)).toBe("Good day. API Error");
});

test("the text of an error is not sent as output; that of a refusal is", () => {
  const failed = { ...assistant(text("API Error: 529")), error: "server_error" };
  const refused = { ...assistant(text("Flagged.")), error: "invalid_request" };
  const refusal = { ...refused, message: { ...refused.message, stop_reason: "refusal" } };
  expect(textOf(heard(failed, refusal))).toBe("Flagged.");
});

test("a tool is announced once with its exact input, and its result ends it", () => {
  const input = { command: "npm test", run_in_background: false };
  const call = assistant(toolUse("toolu_1", "Bash", input));
  const result = user([toolResult("toolu_1", [text("2 passed")])]);
  expect(heard(call, call, result)).toEqual([
    {
      sessionUpdate: "tool_call",
      toolCallId: "toolu_1",
      title: "Bash npm test",
      kind: "execute",
      status: "pending",
      rawInput: input,
      _meta: { claudeCode: { toolName: "Bash" } },
    },
    {
      sessionUpdate: "tool_call_update",
      toolCallId: "toolu_1",
      status: "completed",
      content: [{ type: "content", content: { type: "text", text: "2 passed" } }],
    },
  ]);
});

test("a file that is written or edited shows the difference", () => {
  const edit = { file_path: "/a.txt", old_string: "one", new_string: "two" };
  const write = { file_path: "/b.txt", content: "new\n" };
  expect(
    heard(assistant(toolUse("1", "Edit", edit)), assistant(toolUse("2", "Write", write))),
  ).toMatchObject([
    { kind: "edit", content: [{ type: "diff", path: "/a.txt", oldText: "one", newText: "two" }] },
    { kind: "edit", content: [{ type: "diff", path: "/b.txt", oldText: null, newText: "new\n" }] },
  ]);
});

test("a subagent's work is shown in the call that started it", () => {
  const below = { parent: "toolu_task" };
  const updates = heard(
    assistant(toolUse("toolu_task", "Agent", { prompt: "look" })),
    assistant(toolUse("b1", "Read", { file_path: "/a" }), below),
    assistant(text("hidden"), below),
    assistant(toolUse("b2", "Bash", { command: "ls" }), below),
  );
  expect(updates.slice(1)).toMatchObject([
    { toolCallId: "toolu_task", content: [{ content: { text: "Read /a" } }] },
    { toolCallId: "toolu_task", content: [{ content: { text: "Read /a\nBash ls" } }] },
  ]);
});

test("a replay keeps the speakers, and leaves an interrupted call open", () => {
  const updates = replayOfMessages([
    user("Make it right"),
    assistant(thinking("Hm.")),
    assistant(text("I will.")),
    assistant(toolUse("toolu_1", "Bash", { command: "ls" })),
    user([toolResult("toolu_1", "a.txt")]),
    assistant(toolUse("toolu_2", "Bash", { command: "rm a.txt" })),
    user([text("[Request interrupted by user for tool use]")]),
  ]);
  expect(updates).toMatchObject([
    { sessionUpdate: "user_message_chunk", content: { text: "Make it right" } },
    { sessionUpdate: "agent_thought_chunk" },
    { sessionUpdate: "agent_message_chunk", content: { text: "I will." } },
    { sessionUpdate: "tool_call", toolCallId: "toolu_1" },
    { sessionUpdate: "tool_call_update", toolCallId: "toolu_1", status: "completed" },
    { sessionUpdate: "tool_call", toolCallId: "toolu_2" },
  ]);
});

test.each([
  null,
  7,
  "text",
  [],
  {},
  { type: "assistant" },
  { type: "assistant", message: null },
  { type: "assistant", message: { content: [null, 3, { type: "text" }, { type: "tool_use" }] } },
  {
    type: "assistant",
    message: { content: [{ type: "tool_use", id: "x", name: 3, input: null }] },
  },
  { type: "user", message: { content: { deep: true } } },
  { type: "user", message: { content: [{ type: "tool_result" }] } },
  { type: "user", message: { content: [{ type: "tool_result", tool_use_id: "x", content: 4 }] } },
  { type: "stream_event" },
  event({}),
  event({ type: "message_start" }),
  event({ type: "content_block_delta", delta: { type: "text_delta", text: 5 } }),
  { type: "result", usage: [] },
  { type: "something_new", message: {} },
])("an odd message is got over: %j", (odd) => {
  expect(textOf(heard(odd, assistant(text("Good day."))))).toBe("Good day.");
});
