import { type Event, type EventBody, transcriptOf } from "@holdfast/protocol";
import { describe, expect, test } from "vitest";
import { cutOffOf, earlierCutOff } from "./cut-off.ts";

const asked: EventBody = { kind: "message.user", messageId: "msg_1", content: "Ship it" };

const started = (
  runId: string,
  continues?: string,
  from: "start" | "error" = "error",
): EventBody => ({
  kind: "run.started",
  runId,
  messageId: "msg_1",
  epoch: 1,
  bootId: "boot_1",
  model: null,
  ...(continues === undefined ? {} : { continues, from }),
});

const cut = (runId: string): EventBody => ({
  kind: "run.interrupted",
  runId,
  reason: "process_exit",
  bootId: "boot_1",
});

function call(runId: string, name: string): EventBody[] {
  const of = { runId, attempt: 1, toolCallId: `call_${name}` };
  return [
    { kind: "tool.started", ...of, name, input: {}, gated: false },
    { kind: "tool.finished", ...of, status: "completed", output: "" },
  ];
}

const says = (runId: string, text: string): EventBody => ({
  kind: "text.appended",
  runId,
  attempt: 1,
  text,
});

function transcript(...bodies: EventBody[]) {
  const at = "2026-01-01T00:00:00.000Z";
  return transcriptOf(bodies.map((body, i): Event => ({ seq: i + 1, ts: at, ...body })));
}

const doneIn = (story: ReturnType<typeof transcript>, runId: string) =>
  cutOffOf(story, runId).doneCalls.map(({ name }) => name);

describe("a run that continues others", () => {
  const twice = [
    ...[asked, started("run_a"), says("run_a", "First."), ...call("run_a", "deploy")],
    ...[cut("run_a"), started("run_b", "run_a")],
  ];

  test("has the completed calls of all of them, oldest first, however often it was cut off", () => {
    const third = [...call("run_b", "notify"), cut("run_b"), started("run_c", "run_b")];
    const story = transcript(...twice, ...third);
    expect(doneIn(story, "run_c")).toEqual(["deploy", "notify"]);
    const fourth = [...call("run_c", "tag"), cut("run_c"), started("run_d", "run_c")];
    const longer = transcript(...twice, ...third, ...fourth);
    expect(doneIn(longer, "run_d")).toEqual(["deploy", "notify", "tag"]);
  });

  test("has the text of the latest one with output", () => {
    const story = transcript(...twice, cut("run_b"), started("run_c", "run_b"));
    expect(cutOffOf(story, "run_c")).toMatchObject({ partial: "First.", round: 2 });
  });

  test("has no call from before a retry from the start, which does the work anew", () => {
    const again = [asked, started("run_a"), ...call("run_a", "deploy"), cut("run_a")];
    const retried = [...again, started("run_b", "run_a", "start"), ...call("run_b", "test")];
    const story = transcript(...retried, cut("run_b"), started("run_c", "run_b"));
    expect(doneIn(story, "run_b")).toEqual(["test"]);
    expect(doneIn(story, "run_c")).toEqual(["test"]);
  });

  test("of a version that did not record where a retry begins has all of them", () => {
    const { runs, ...story } = transcript(...twice, cut("run_b"), started("run_c", "run_b"));
    const older = runs.map(({ from: _from, ...run }) => run);
    expect(doneIn({ ...story, runs: older }, "run_c")).toEqual(["deploy"]);
  });

  test("has no call that a person denied, although its agent reported it as completed", () => {
    const [begun, finished] = call("run_b", "drop") as [EventBody, EventBody];
    const of = { runId: "run_b", approvalId: "ap_1" };
    const question = { toolCallId: "call_drop", toolName: "drop", input: {} };
    const asks: EventBody = {
      kind: "approval.requested",
      attempt: 1,
      digest: "",
      askedBy: null,
      ...of,
      ...question,
    };
    const denied: EventBody = { kind: "approval.decided", decision: "deny", by: "me", ...of };
    const story = transcript(...twice, begun, asks, denied, finished, cut("run_b"));
    expect(doneIn(story, "run_b")).toEqual(["deploy"]);
  });

  test("has no call of a run that it does not continue", () => {
    const story = transcript(...twice, cut("run_b"), started("run_c"), ...call("run_c", "other"));
    expect(doneIn(story, "run_c")).toEqual(["other"]);
  });
});

describe("an earlier cut-off run", () => {
  test("is told when it only completed calls", () => {
    const story = transcript(asked, started("run_a"), ...call("run_a", "deploy"), cut("run_a"));
    expect(earlierCutOff(story, "run_a")).toMatchObject({
      request: "Ship it",
      partial: "",
      unknownCalls: [],
      doneCalls: [{ toolCallId: "call_deploy" }],
    });
  });

  test("is left out when it had no text and no calls", () => {
    expect(earlierCutOff(transcript(asked, started("run_a"), cut("run_a")), "run_a")).toBeNull();
  });
});
