import type { ApprovalState, CommandInput, Json } from "@holdfast/protocol";
import { describe, expect, it } from "vitest";
import { permissionResult } from "../../agents/acp/acp.ts";
import { carriedAnswers, digestOf } from "./approvals.ts";
import { HOLDER, kinds, type Story, story } from "./testing/story.ts";

const asked = () => {
  const told = story().prompt().launch().tool("t1", { command: "ls" });
  return { told, approvalId: told.ask("t1", { command: "ls" }) };
};
const decide = (
  told: Story,
  approvalId: string,
  decision: CommandInput<"decide">["decision"],
  more: Partial<CommandInput<"decide">> = {},
) => told.do("decide", { runId: told.run.id, approvalId, decision, by: "me", ...more });
const last = (told: Story) => told.run.approvals.at(-1);

/** A workspace whose mark never changes. */
const workspace = { digest: "c".repeat(64), head: null, files: [] };

const mark = (told: Story, approvalId: string) =>
  told.do("markWorkspace", { runId: told.run.id, approvalId, workspace });

/** The asking process died before it received the answer, and the next launch is up. */
const orphaned = (input: Json = { command: "ls" }, decision: "allow" | "deny" = "allow") => {
  const told = story().prompt().launch().tool("t1", input);
  const approvalId = told.ask("t1", input);
  mark(told, approvalId);
  told.reboot();
  decide(told, approvalId, decision);
  told.do("processDied", { runId: told.run.id, reason: "process_exit" });
  told.launch();
  return { told, approvalId };
};

describe("a question", () => {
  it("opens a wait for a person, without a deadline, with the digest of exactly what would run", () => {
    const { told, approvalId } = asked();
    expect(last(told)).toMatchObject({
      id: approvalId,
      toolCallId: "t1",
      toolName: "Bash",
      input: { command: "ls" },
      digest: digestOf("Bash", { command: "ls" }),
      attempt: 1,
      askedBy: { holderId: HOLDER, n: 1 },
      decision: null,
    });
    expect(told.wait).toMatchObject({ kind: "human", deadlineAt: null, approvalId });
    expect(told.derived).toMatchObject({ status: "waiting", runStatus: "awaiting_approval" });
  });

  it("has a digest of tool and canonical input", () => {
    expect(digestOf("Bash", { a: 1, b: 2 })).toBe(digestOf("Bash", { b: 2, a: 1 }));
    expect(digestOf("Bash", { a: 1 })).not.toBe(digestOf("Bash", { a: "1" }));
    expect(digestOf("Bash", {})).not.toBe(digestOf("Write", {}));
  });

  it("whose input is too large for an event is bound to all of it, and never by a standing rule [P20]", () => {
    const hash = (letter: string) => ({ hash: letter.repeat(64), bytes: 300_000 });
    const stub = { type: "unreadable" };
    expect(digestOf("Bash", stub, hash("a").hash)).not.toBe(digestOf("Bash", stub));
    const told = story().prompt().launch().tool("t1", stub);
    const big = { toolCallId: "t1", toolName: "Bash", input: stub, inputPreview: '{"command":"x' };
    const ask = (letter: string, n: number) =>
      told.do("requestApproval", {
        ...told.who,
        ...big,
        inputBlob: hash(letter),
        token: told.secret(),
        askedBy: { holderId: HOLDER, n },
      });
    ask("a", 1);
    ask("b", 2);
    const [one, other] = told.run.approvals;
    expect(one).toMatchObject({ inputBlob: hash("a"), inputPreview: '{"command":"x' });
    expect(one?.digest).not.toBe(other?.digest);
    const always = () => decide(told, one?.id ?? "", "allow_always");
    expect(always).toThrow(/too large for a rule/);
    decide(told, one?.id ?? "", "allow");
    expect(told.run.approvals[0]).toMatchObject({ decision: "allow" });
  });

  it("repeated by the same holder under the same number is the same question", () => {
    const { told } = asked();
    const again = { toolCallId: "t1", toolName: "Bash", input: {}, token: told.secret() };
    const askedBy = { holderId: HOLDER, n: 1 };
    expect(told.do("requestApproval", { ...told.who, ...again, askedBy })).toEqual([]);
  });

  it("without a holder is repeated by the same call with the same input, until it is used [F10]", () => {
    const told = story().prompt().launch().tool("t1");
    const ask = (input: Json) => {
      const question = { toolCallId: "t1", toolName: "Bash", input, askedBy: null };
      return told.do("requestApproval", { ...told.who, ...question, token: told.secret() });
    };
    expect(kinds(ask({ a: 1 }))).toContain("approval.requested");
    expect(ask({ a: 1 })).toEqual([]);
    // Other arguments make another question, also under the same call id.
    expect(kinds(ask({ a: 2 }))).toContain("approval.requested");
    const [first] = told.run.approvals.map((one) => one.id) as [string];
    decide(told, first, "allow");
    expect(ask({ a: 1 })).toEqual([]);
    told.do("deliver", { runId: told.run.id, approvalId: first });
    expect(kinds(ask({ a: 1 }))).toContain("run.waiting");
  });

  it("can have a deadline of its own", () => {
    const told = story().prompt();
    told.ask("t1", {}, { deadlineAt: told.in(60_000) });
    told.pass(60_000).do("expireWait", { runId: told.run.id, waitId: told.wait.id });
    expect(told.derived.status).toBe("interrupted_waiting");
  });
});

describe("one of the agent's own options", () => {
  const options = [
    { id: "edits", kind: "allow_always", name: "Yes, and accept edits" },
    { id: "manual", kind: "allow_once", name: "Yes, and ask for each edit" },
    { id: "plan", kind: "reject_once", name: "No, keep planning" },
  ];
  const offered = () => {
    const told = story().prompt().launch();
    return { told, approvalId: told.ask("t1", { plan: "p" }, { options }) };
  };

  it("is kept with the answer and given to the agent", () => {
    const { told, approvalId } = offered();
    const events = decide(told, approvalId, "allow", { option: "edits" });
    expect(events[0]).toMatchObject({
      kind: "approval.decided",
      decision: "allow",
      option: "edits",
    });
    expect(permissionResult(last(told) as ApprovalState)).toEqual({
      outcome: { outcome: "selected", optionId: "edits" },
    });
    expect(told.state.rules).toEqual([]);
  });

  it("that is not chosen leaves the agent its option for this once", () => {
    const { told, approvalId } = offered();
    decide(told, approvalId, "allow_always");
    expect(permissionResult(last(told) as ApprovalState)).toEqual({
      outcome: { outcome: "selected", optionId: "manual" },
    });
  });

  it.each([
    ["allow", "plan", "bad_input"],
    ["deny", "manual", "bad_input"],
    ["allow_always", "edits", "bad_input"],
    ["allow", "unknown", "bad_input"],
  ] as const)(
    "is refused when it does not mean the answer: %s with %s",
    (decision, option, code) => {
      const { told, approvalId } = offered();
      const answer = { runId: told.run.id, approvalId, decision, by: "me", option };
      expect(told.refused("decide", answer).code).toBe(code);
      expect(last(told)?.decision).toBe(null);
    },
  );

  it("is carried to the next launch where that one offers it too [P20]", () => {
    const { told, approvalId } = offered();
    mark(told, approvalId);
    told.reboot();
    decide(told, approvalId, "allow", { option: "edits" });
    told.do("processDied", { runId: told.run.id, reason: "process_exit" });
    told.launch();
    told.ask("t2", { plan: "p" }, { options, workspace });
    expect(last(told)).toMatchObject({ decision: "allow", option: "edits" });
  });
});

describe("an answer", () => {
  it.each([
    ["allow", "allow"],
    ["approve", "allow"],
    ["deny", "deny"],
  ] as const)("%s decides, revokes the unused token, and lets the run go on", (said, decision) => {
    const { told, approvalId } = asked();
    const events = decide(told, approvalId, said, { reason: "because" });
    expect(kinds(events)).toEqual([
      "approval.decided",
      "token.revoked",
      "run.resumed",
      "status.derived",
    ]);
    expect(events[0]).toMatchObject({ approvalId, decision, by: "me", reason: "because" });
    expect(told.derived.status).toBe("running");
  });

  it("counts once: the first wins, from any device, and later ones get the winner [F9] [P19]", () => {
    const { told, approvalId } = asked();
    decide(told, approvalId, "deny", { by: "phone" });
    for (let tab = 0; tab < 100; tab++) {
      expect(decide(told, approvalId, "allow", { by: `tab ${tab}` })).toEqual([]);
    }
    expect(last(told)).toMatchObject({ decision: "deny", by: "phone" });
    expect(told.count("approval.decided")).toBe(1);
    // The first answer also stands after the next questions and after the run's end.
    for (const id of ["t2", "t3"]) decide(told, told.ask(id), "allow");
    expect(decide(told, approvalId, "allow")).toEqual([]);
    told.complete();
    expect(decide(told, approvalId, "allow")).toEqual([]);
    expect(told.run.approvals[0]).toMatchObject({ id: approvalId, by: "phone" });
  });

  it("is taken while everything is dead, and however often the host restarted [P19]", () => {
    const { told, approvalId } = asked();
    for (let i = 0; i < 10; i++) {
      told.reboot();
      told.do("processDied", { runId: told.run.id, reason: "process_restart" });
    }
    decide(told, approvalId, "allow");
    expect(last(told)).toMatchObject({ id: approvalId, decision: "allow", delivered: false });
  });

  it("finds its question by the tool call, too", () => {
    const { told } = asked();
    told.do("decide", { runId: told.run.id, toolCallId: "t1", decision: "allow", by: "me" });
    expect(last(told)?.decision).toBe("allow");
  });

  it("with a stale id, to another run, or without a question is refused [F10]", () => {
    const { told, approvalId } = asked();
    const { id: runId } = told.run;
    const none = "0".repeat(32);
    const answer = { runId, approvalId, decision: "allow", by: "me" } as const;
    const refused = [
      told.refused("decide", { ...answer, approvalId: `appr_${none}` }),
      told.refused("decide", { ...answer, runId: `run_${none}` }),
      told.refused("decide", { runId, toolCallId: "other", decision: "allow", by: "me" }),
      told.refused("decide", { runId, decision: "allow", by: "me" }),
    ];
    expect(refused.map((error) => error.code)).toEqual([
      "approval_not_found",
      "run_not_found",
      "approval_not_found",
      "bad_input",
    ]);
  });

  it("to something else than the person saw is refused [F10]", () => {
    const { told, approvalId } = asked();
    const digest = digestOf("Bash", { command: "rm -rf /" });
    const answer = { runId: told.run.id, approvalId, decision: "allow", by: "me" } as const;
    const error = told.refused("decide", { ...answer, digest });
    expect(error).toMatchObject({
      code: "approval_mismatch",
      message: expect.stringMatching(/again/),
    });
    decide(told, approvalId, "allow", { digest: digestOf("Bash", { command: "ls" }) });
  });

  it("by token needs that question's own token, which it uses up", () => {
    const { told, approvalId } = asked();
    const token = told.token();
    const other = told.ask("t2");
    const [first, second] = told.run.waits;
    const wrong = { runId: told.run.id, approvalId, decision: "allow", by: "link" } as const;
    expect(told.refused("decide", { ...wrong, token: told.token(second) }).code).toBe(
      "token_mismatch",
    );
    expect(kinds(decide(told, approvalId, "allow", { token, key: "k" }))).toEqual([
      "approval.decided",
      "token.consumed",
      "run.resumed",
    ]);
    expect(told.wait.approvalId).toBe(other);
    expect(first?.approvalId).toBe(approvalId);
    // The same link again: a retry with the same key gets the answer, any other caller is told that
    // the token is used.
    expect(decide(told, approvalId, "deny", { token, key: "k" })).toEqual([]);
    expect(told.refused("decide", { ...wrong, token }).code).toBe("token_consumed");
  });

  it("to one of two open questions leaves the other open", () => {
    const { told, approvalId } = asked();
    const other = told.ask("t2");
    expect(decide(told, other, "allow").map((event) => event.kind)).not.toContain("status.derived");
    expect(told.wait.approvalId).toBe(approvalId);
    expect(told.derived.status).toBe("waiting");
    decide(told, approvalId, "deny");
    expect(told.derived.status).toBe("running");
  });

  it("is delivered once, and not before it is there", () => {
    const { told, approvalId } = asked();
    const deliver = { runId: told.run.id, approvalId };
    expect(told.refused("deliver", deliver).code).toBe("not_waiting");
    decide(told, approvalId, "allow");
    expect(kinds(told.do("deliver", deliver))).toEqual(["approval.delivered"]);
    expect(told.do("deliver", deliver)).toEqual([]);
  });
});

describe("an answer whose asker died", () => {
  it.each(["allow", "deny"] as const)(
    "(%s) is used for the same digest asked again, once [P20]",
    (decision) => {
      const { told, approvalId } = orphaned({ command: "ls" }, decision);
      const second = told.ask("t9", { command: "ls" }, { workspace });
      expect(told.events.at(-1)).toMatchObject({
        kind: "approval.decided",
        approvalId: second,
        decision,
        by: "me",
        carriedFrom: approvalId,
      });
      expect(told.run.waits).toEqual([]);
      // The third question is put to the person, because an answer is single use.
      told.ask("t10", { command: "ls" }, { workspace });
      expect(told.run.waits).toHaveLength(1);
      expect(last(told)?.decision).toBe(null);
    },
  );

  it("belongs to the launch whose prompt carried it, and to no later one [P20]", () => {
    const told = story().prompt().launch();
    const approvalId = told.ask("t1", { command: "pay" });
    mark(told, approvalId);
    decide(told, approvalId, "allow");
    expect(carriedAnswers(told.run)).toEqual([]);
    const carried = [{ toolCallId: "t1", toolName: "Bash", decision: "allow", reason: null }];
    told.do("processDied", { runId: told.run.id, reason: "process_exit" });
    expect(carriedAnswers(told.run)).toEqual(carried);
    // That launch never accepted its prompt, so the next prompt carries the answer.
    told.fail("timeout");
    expect(carriedAnswers(told.run)).toEqual(carried);
    told.launch();
    expect(carriedAnswers(told.run)).toEqual([]);
    const again = { ...told.who, toolCallId: "t9", toolName: "Bash", input: { command: "pay" } };
    const answered = told.decide("requestApproval", {
      ...again,
      workspace,
      askedBy: null,
      token: told.secret(),
    });
    expect(answered).toMatchObject([{ kind: "approval.requested" }, { carriedFrom: approvalId }]);
    told.fail("timeout");
    expect(carriedAnswers(told.run)).toEqual([]);
    told.ask("t10", { command: "pay" }, { workspace });
    expect(last(told)?.decision).toBe(null);
    expect(told.run.waits).toHaveLength(1);
  });

  it("does not fit other input: the person is asked again, with the input approved then [F10] [P20]", () => {
    const { told, approvalId } = orphaned({ command: "ls" });
    told.ask("t9", { command: "ls -a" });
    const question = told.events.findLast((event) => event.kind === "approval.requested");
    expect(question).toMatchObject({ changedFrom: approvalId });
    expect(last(told)?.decision).toBe(null);
    expect(told.run.waits).toHaveLength(1);
  });

  describe("over files that changed since the question", () => {
    const marked = (
      digest: string,
      files: [string, string][] = [],
      head: string | null = null,
    ) => ({
      digest: digest.repeat(64),
      head,
      files,
    });
    const before = marked("a", [
      ["a.txt", "1"],
      ["b.txt", "1"],
    ]);
    /** The answer came after the asking process died, and the next launch is up. */
    const answered = () => {
      const told = story().prompt().launch();
      const approvalId = told.ask("t1", { command: "git push" });
      told.do("markWorkspace", { runId: told.run.id, approvalId, workspace: before });
      decide(told, approvalId, "allow");
      told.do("processDied", { runId: told.run.id, reason: "process_exit" });
      told.launch();
      return { told, approvalId };
    };
    const again = (told: Story, workspace: CommandInput<"requestApproval">["workspace"]) =>
      told.ask("t9", { command: "git push" }, workspace === undefined ? {} : { workspace });

    it("is not used: the person is asked again, with the reason and what differs [P20]", () => {
      const { told, approvalId } = answered();
      again(
        told,
        marked("b", [["a.txt", "2"], before.files[1] as [string, string]], "0".repeat(40)),
      );
      const { decision, askedAgain } = last(told) ?? {};
      expect(decision).toBeNull();
      expect(askedAgain).toEqual({
        reason: "files_changed",
        approvalId,
        decision: "allow",
        files: ["a.txt"],
        head: { from: null, to: "0".repeat(40) },
      });
      expect(told.run.waits).toHaveLength(1);
      // A replaced answer is not used later, even when the files are as they were.
      decide(told, last(told)?.id ?? "", "deny");
      told.do("deliver", { runId: told.run.id, approvalId: last(told)?.id ?? "" });
      told.ask("t10", { command: "git push" }, { workspace: before });
      expect(last(told)?.decision).toBeNull();
    });

    it("is not used where they cannot be compared", () => {
      const { told, approvalId } = answered();
      again(told, null);
      expect(last(told)).toMatchObject({
        decision: null,
        askedAgain: { reason: "files_unknown", approvalId },
      });
    });

    it.each([
      ["could not be read", null],
      ["were not marked before the host died", undefined],
    ])("is not used where, at the question, they %s [P20]", (_why, first) => {
      const told = story().prompt().launch();
      const approvalId = told.ask("t1", { command: "git push" });
      const { id: runId } = told.run;
      if (first === null) {
        const unread = told.do("markWorkspace", { runId, approvalId, workspace: null });
        expect(unread).toMatchObject([{ kind: "approval.marked", workspace: null }]);
      }
      decide(told, approvalId, "allow");
      told.do("processDied", { runId, reason: "process_exit" });
      told.launch();
      // A mark is ignored after the next launch, which may have changed the files.
      expect(told.do("markWorkspace", { runId, approvalId, workspace: before })).toEqual([]);
      again(told, before);
      expect(last(told)).toMatchObject({
        decision: null,
        askedAgain: { reason: "files_unknown", approvalId },
      });
    });

    it("is used where they are the same, and where an earlier version did not mark them", () => {
      const { told } = answered();
      again(told, before);
      expect(last(told)).toMatchObject({ decision: "allow", askedAgain: null });
      const old = story().prompt().launch();
      const input = { command: "git push" };
      decide(old, old.ask("t1", {}), "deny");
      const body = old.events.findLast((event) => event.kind === "approval.requested");
      if (body?.kind !== "approval.requested") throw new Error("no question");
      const { exact: _later, ...earlier } = body;
      const digest = digestOf("Bash", input);
      const approvalId = `appr_${"0".repeat(32)}`;
      old.append([{ ...earlier, approvalId, toolCallId: "t2", input, digest }]);
      decide(old, approvalId, "allow");
      old.do("processDied", { runId: old.run.id, reason: "process_exit" });
      old.launch();
      again(old, undefined);
      expect(last(old)).toMatchObject({ decision: "allow", askedAgain: null });
    });

    it("is marked once, and not after the agent received the answer", () => {
      const told = story().prompt().launch();
      const approvalId = told.ask("t1", {});
      const mark = { runId: told.run.id, approvalId, workspace: before };
      expect(kinds(told.do("markWorkspace", mark))).toEqual(["approval.marked"]);
      expect(told.do("markWorkspace", mark)).toEqual([]);
      const second = told.ask("t2", {});
      decide(told, second, "allow");
      told.do("deliver", { runId: told.run.id, approvalId: second });
      expect(told.do("markWorkspace", { ...mark, approvalId: second })).toEqual([]);
    });
  });

  describe("about a call of which the agent does not say what would run", () => {
    const vague = { title: "Writing to a.txt" };
    const asking = () => {
      const told = story().prompt().launch();
      return { told, approvalId: told.ask("t1", vague, { exact: false }) };
    };

    it("counts for that question alone: it is not carried to the same title [P20] [S13]", () => {
      const { told, approvalId } = asking();
      decide(told, approvalId, "allow");
      told.do("processDied", { runId: told.run.id, reason: "process_exit" });
      told.launch();
      told.ask("t9", vague, { exact: false });
      expect(last(told)).toMatchObject({
        decision: null,
        askedAgain: { reason: "input_unknown", approvalId },
      });
    });

    it("leaves an answer that was given for something else to the call that it was given for [P20]", () => {
      const told = story().prompt().launch();
      const command = told.ask("t1", { command: "ls" });
      mark(told, command);
      decide(told, command, "allow");
      told.do("processDied", { runId: told.run.id, reason: "process_exit" });
      told.launch();
      told.ask("t8", vague, { exact: false, workspace });
      expect(last(told)).toMatchObject({
        decision: null,
        askedAgain: { reason: "input_unknown", approvalId: command },
      });
      told.ask("t9", { command: "ls" }, { workspace });
      expect(told.events.at(-1)).toMatchObject({ decision: "allow", carriedFrom: command });
    });

    it("cannot be a rule, and no rule fits it [P20] [S13]", () => {
      const { told, approvalId } = asking();
      const always = {
        runId: told.run.id,
        approvalId,
        decision: "allow_always",
        by: "me",
      } as const;
      expect(told.refused("decide", always).message).toContain("Allow it once");
      const other = told.ask("t2", { command: "ls" });
      decide(told, other, "allow_always", { pattern: "*" });
      told.ask("t3", vague, { exact: false });
      expect(last(told)?.decision).toBeNull();
      told.ask("t4", { command: "pwd" });
      expect(last(told)).toMatchObject({ decision: "allow", by: "rule" });
    });

    it("is known as such in a journal of an earlier version", () => {
      const told = story().prompt().launch();
      told.ask("t1", vague);
      const body = told.events.findLast((event) => event.kind === "approval.requested");
      if (body?.kind !== "approval.requested") throw new Error("no question");
      const { exact: _later, ...old } = body;
      told.append([{ ...old, approvalId: "appr_old" }]);
      expect(last(told)?.exact).toBe(false);
      told.append([{ ...old, approvalId: "appr_full", input: { command: "ls" } }]);
      expect(last(told)?.exact).toBe(true);
    });
  });

  it("does not hide that exactly this call was allowed before, and ran or may have run", () => {
    const told = story().prompt().launch();
    const used = (toolCallId: string, n: number) => {
      const approvalId = told.tool(toolCallId).ask(toolCallId, { n });
      decide(told, approvalId, "allow");
      told.do("deliver", { runId: told.run.id, approvalId });
      return approvalId;
    };
    const ended = used("t1", 1);
    told.finish("t1");
    const cutOff = used("t2", 2);
    const unused = told.tool("t3").ask("t3", { n: 3 });
    decide(told, unused, "allow");
    told.do("processDied", { runId: told.run.id, reason: "process_exit" });
    told.launch();
    const again = (n: number, more = {}) => {
      told.ask(`again-${told.state.seq}`, { n }, more);
      return last(told);
    };
    expect(again(1)).toMatchObject({
      decision: null,
      askedAgain: { approvalId: ended, decision: "allow", ran: "yes" },
    });
    expect(again(2)?.askedAgain).toMatchObject({ approvalId: cutOff, ran: "perhaps" });
    expect(again(4)?.askedAgain).toMatchObject({ reason: "input_changed", approvalId: unused });
    expect(again(1, { exact: false })?.askedAgain).toMatchObject({ reason: "input_unknown" });
  });

  it("does not fit another tool with the same input [P20]", () => {
    const { told } = orphaned();
    told.ask("t9", { command: "ls" }, { toolName: "Write" });
    const question = told.events.findLast((event) => event.kind === "approval.requested");
    expect(question).not.toHaveProperty("changedFrom");
    expect(last(told)?.decision).toBe(null);
  });

  it("does not say `changed` when another unused answer fits exactly", () => {
    const told = story().prompt().launch();
    const first = told.ask("t1", { a: 1 });
    const second = told.ask("t2", { a: 2 });
    for (const asked of [first, second]) mark(told, asked);
    decide(told, first, "allow");
    decide(told, second, "deny");
    told.do("processDied", { runId: told.run.id, reason: "process_exit" });
    told.ask("t9", { a: 2 }, { workspace });
    const question = told.events.findLast((event) => event.kind === "approval.requested");
    expect(question).not.toHaveProperty("changedFrom");
    expect(told.events.at(-1)).toMatchObject({ decision: "deny", carriedFrom: second });
  });

  it("that was delivered before is not used again [P20]", () => {
    const told = story().prompt().launch();
    const first = told.ask("t1", { a: 1 });
    decide(told, first, "allow");
    told.do("deliver", { runId: told.run.id, approvalId: first });
    told.fail("timeout");
    told.ask("t9", { a: 1 });
    expect(last(told)?.decision).toBe(null);
  });

  it("does not reach another run [P20]", () => {
    const { told } = orphaned({ command: "ls" });
    told.fail("content_policy");
    told.do("retry", { runId: told.run.id, from: "error" });
    told.ask("t9", { command: "ls" });
    expect(told.run.approvals).toHaveLength(1);
    expect(last(told)?.decision).toBe(null);
  });
});
