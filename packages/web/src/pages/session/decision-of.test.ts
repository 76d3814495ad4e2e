import type { OutboxItem } from "@holdfast/client";
import {
  type ApprovalView,
  type EventBody,
  emptyState,
  type Message,
  type RunState,
  type RuntimeState,
} from "@holdfast/protocol";
import { expect, test } from "vitest";
import * as f from "../../../gallery/fixtures.ts";
import { askedLine, decisionOf, whyOf } from "./decision-of.ts";

const first = f.approval({ id: "appr_1" });
const second = f.approval({ id: "appr_2" });
const asking = { approvals: [first, second], session: f.session(), state: null, messages: [] };

const answer = (approvalId: string, change: Partial<OutboxItem> = {}): OutboxItem => ({
  n: 7,
  id: "a",
  session: "s",
  refusal: null,
  state: "waiting",
  problem: null,
  action: { type: "approval", runId: f.RUN, approvalId, decision: "allow", digest: "d" },
  ...change,
});

test("the reason for a question is the agent's last text before it", () => {
  const events = f.journal(
    [9, f.asked("Go")],
    [8, f.started()],
    [7, f.said("First I read.\n\nThe tests pass, so I publish.\n")],
    [6, f.tool("t1", "Run", {})],
    [5, f.said("Afterwards.")],
  );
  const message = f.messagesOf(events).at(-1);
  expect(whyOf(message, "t1")).toBe("The tests pass, so I publish.");
  expect(whyOf(message, "unknown")).toBe("Afterwards.");
  expect(whyOf(undefined, "t1")).toBe("");
});

test("a question is named by its tool call, or by its kind when the call is unknown", () => {
  const events = f.journal(
    [9, f.asked("Go")],
    [8, f.started()],
    [7, f.tool("t1", "Question 1", {})],
  );
  const approval = f.approval({ toolUseId: "t1", toolName: "other", toolInput: { n: 1 } });
  const title = (messages: readonly Message[]) =>
    decisionOf({ ...asking, approvals: [approval], messages }, [])?.title;
  expect(title(f.messagesOf(events))).toBe("Question 1");
  expect(title([])).toBe("Use a tool");
  expect(askedLine(approval, f.messagesOf(events), null)).toBe("Question 1 n: 1");
});

test("a question answered while offline shows its answer, which can be taken back", () => {
  const one = { ...asking, approvals: [first] };
  const given = (item: OutboxItem) => decisionOf(one, [item])?.given;
  expect(given(answer(first.id))).toEqual({
    decision: "allow",
    reason: null,
    option: null,
    n: 7,
    state: "waiting",
  });
  expect(given(answer(first.id, { state: "sending" }))).toMatchObject({ state: "sending" });
  // An answer that was sent may have arrived, so the page must not say that it is only saved here.
  const unsure = { mayHaveArrived: true };
  expect(given(answer(first.id, unsure))).toMatchObject({ state: "unsure" });
  expect(given(answer(first.id, { ...unsure, state: "sending" }))).toMatchObject({
    state: "sending",
  });
  expect(given(answer("appr_other"))).toBeNull();
});

test("a refused answer opens the question again, and a delivered one does not", () => {
  const one = { ...asking, approvals: [first] };
  const refusal = { code: "approval_mismatch", message: "It is another now." };
  const refused = answer(first.id, { state: "refused", refusal });
  const accepted = answer(first.id, { state: "accepted", seq: 9, n: 8 });
  expect(decisionOf(one, [refused])?.given).toBeNull();
  expect(decisionOf(one, [refused, accepted])?.given).toMatchObject({ state: "accepted", n: 8 });
});

test("the tray shows the oldest question without an answer from this page", () => {
  const next = decisionOf(asking, [answer(first.id)]);
  expect(next).toMatchObject({ approval: second, given: null, place: { n: 2, of: 2 } });
  const last = decisionOf(asking, [answer(first.id), answer(second.id, { n: 8 })]);
  expect(last).toMatchObject({ approval: first, given: { n: 7 } });
});

test("a question says that its agent stopped after it asked", () => {
  const askedBy = { holderId: "hold_1", n: 1 };
  const runtime = { ...emptyState.runtime, holderId: "hold_1" };
  const run = { waits: [], approvals: [{ id: first.id, askedBy }] };
  const state = { ...emptyState, runtime, run: run as unknown as RunState };
  const words = (word: RuntimeState["state"]) => {
    const session = f.session({ runtime: { ...f.session().runtime, state: word } });
    return decisionOf({ ...asking, state, session }, [])?.asker;
  };
  expect(words("live")).toBeNull();
  expect(words("none")).toMatch(/^The agent stopped after it asked\./);
});

test("a question that is asked again says why, with the changes", () => {
  const earlier = (askedAgain: ApprovalView["askedAgain"]) => {
    const approval = f.approval(askedAgain === undefined ? {} : { askedAgain });
    return decisionOf({ ...asking, approvals: [approval] }, [])?.earlier;
  };
  expect(earlier(undefined)).toBeNull();
  const before = { command: "ls" };
  expect(earlier({ reason: "input_changed", before, files: [] })).toMatchObject({ input: before });
  const head = { from: "0123456789", to: null };
  expect(earlier({ reason: "files_changed", files: ["src/a.ts"], head })).toMatchObject({
    input: null,
    files: ["commit 01234567 → none", "src/a.ts"],
    reason: expect.stringContaining("files have changed"),
  });
  expect(earlier({ reason: "files_unknown", files: [], ran: "yes" })).toEqual({
    input: null,
    files: [],
    reason: "You allowed exactly this before, and it ran. Allowing it runs it again.",
  });
});

test("a question that is asked again names the earlier answer, and files that the agent edited since", () => {
  const root = f.session().workspace.path;
  const edit = (toolCallId: string, path: string): EventBody => {
    const part = { type: "diff", path, oldText: "", newText: "x", toolCallId };
    return { kind: "part.added", runId: f.RUN, attempt: 1, part };
  };
  const asked = { runId: f.RUN, attempt: 1, approvalId: "a1", toolCallId: "t1" };
  const events = f.journal(
    [9, f.asked("Go")],
    [9, f.started()],
    [8, edit("t0", "before.ts")],
    [8, f.tool("t1", "Push", {})],
    [
      8,
      {
        kind: "approval.requested",
        ...asked,
        toolName: "Push",
        input: {},
        digest: "d",
        askedBy: null,
      },
    ],
    [7, f.tool("t2", "Write", {})],
    [7, edit("t2", `${root}/src/a.ts`)],
    [7, f.gave("t2", "")],
    // The question's own edit is only proposed.
    [6, f.tool(first.toolUseId, "Write", {})],
    [6, edit(first.toolUseId, "asked.ts")],
  );
  const messages = f.messagesOf(events);
  const files = ["src/a.ts", "asked.ts", "before.ts"];
  const askedAgain = {
    reason: "files_changed",
    approvalId: "a1",
    decision: "deny",
    files,
  } as const;
  const approvals = [f.approval({ askedAgain })];
  expect(decisionOf({ ...asking, approvals, messages }, [])?.earlier).toMatchObject({
    reason: "You denied this before, but files have changed since:",
    files: ["src/a.ts, changed by the agent", "asked.ts", "before.ts"],
  });
});
