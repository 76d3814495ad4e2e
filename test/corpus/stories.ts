/**
 * Named stories of sessions, told through the rules of this version. Each becomes one recorded
 * journal; together they hold every kind of event at least once, so that a later version which
 * reads one of them differently is found out.
 */

import type { EventBody } from "@holdfast/protocol";
import {
  HOLDER,
  type Story,
  story,
} from "../../packages/server/src/session/rules/testing/story.ts";

const MINUTE = 60_000;
const zeros = "0".repeat(32);
const checkpointId = `ckpt_${zeros}`;
const sandboxId = `sbx_${zeros}`;

export const stories: Readonly<Record<string, () => Story>> = {
  created: () => {
    const told = story({ created: false }).create({
      title: "Fix the build",
      model: "large",
      workspace: { kind: "clone", path: "/repo", branch: "main" },
      policy: { transientRetries: 1 },
    });
    told.do("rename", { title: "Fix the build, please" });
    told.do("setPolicy", { policy: { silenceNotice: 60_000 } });
    return told;
  },

  completed: () => {
    const told = story().prompt("What is here?", { clientId: "c1" }).launch();
    const output = [
      { type: "thinking", text: "Let me look." },
      { type: "text", text: "I see " },
      { type: "text", text: "files." },
      { type: "part", part: { type: "plan", steps: 2 } },
      { type: "usage", inputTokens: 120, outputTokens: 8 },
    ] as const;
    told.do("record", { ...told.who, output: [...output] });
    told.tool("t1", { command: "ls" });
    const so = { type: "tool_updated", toolCallId: "t1", output: "a" } as const;
    told.do("record", { ...told.who, output: [so] });
    return told.finish("t1", "a\nb").say(" Done.").complete();
  },

  "spoke-between-turns": () => {
    const told = story().prompt().launch().say("Done.").complete();
    const output = [
      { type: "text", text: "By the way, " },
      { type: "text", text: "the build is green." },
      { type: "part", part: { type: "plan", entries: [] } },
    ] as const;
    told.do("speak", { output: [...output] });
    return told.prompt("Thanks").launch().say("Welcome.").complete();
  },

  "failed-with-partial-text": () =>
    story().prompt().launch().say("Half of the ans").tool("t1").fail("content_policy", 400),

  cancelled: () => {
    const told = story().prompt().launch().say("Half").tool("t1").cancel().pass(800);
    told.do("settleCancel", { runId: told.run.id });
    return told;
  },

  "interrupted-startup": () => interrupted(),

  "interrupted-process-exit": () => {
    const told = story().prompt().launch().say("Half");
    told.do("agentExited", { reason: "signal 9" });
    told.do("processDied", { runId: told.run.id, reason: "process_exit" });
    return told;
  },

  "interrupted-sandbox-lost": () => {
    const told = story().prompt().launch();
    told.do("sandbox", { sandboxId, is: "ready", provider: "docker" });
    told.do("sandbox", { sandboxId, is: "gone", reason: "not found" });
    told.do("processDied", { runId: told.run.id, reason: "sandbox_lost" });
    return told;
  },

  "wait-timeout": () => {
    const told = story()
      .prompt()
      .launch()
      .stand("tool_result")
      .pass(11 * MINUTE);
    told.do("expireWait", { runId: told.run.id, waitId: told.wait.id });
    return told;
  },

  "wait-timeout-after-a-clock-step": () => {
    const told = story().prompt().launch();
    told.time.clock.step(-60 * MINUTE);
    told.stand("tool_result").pass(10 * MINUTE);
    told.do("expireWait", { runId: told.run.id, waitId: told.wait.id });
    return told;
  },

  "wait-token-expired": () => {
    const told = story().prompt().launch();
    told.stand("external", { token: told.secret(told.in(MINUTE)) }).pass(2 * MINUTE);
    told.do("expireWait", { runId: told.run.id, waitId: told.wait.id });
    return told;
  },

  "wait-resumed-by-token": () => {
    const told = story().prompt().launch().stand("external");
    told.do("mintToken", { runId: told.run.id, token: told.secret() });
    const resume = { by: "webhook", key: "k1", result: { status: "passed" } };
    told.do("resumeWait", { runId: told.run.id, token: told.token(), ...resume });
    const waitId = told.run.results[0]?.waitId as string;
    told.do("deliverResult", { runId: told.run.id, waitId });
    return told.say("It passed.").complete();
  },

  "wait-open-token-revoked": () => {
    const told = story().prompt().launch().stand("human");
    const tokenId = told.token().id;
    told.do("revokeToken", { runId: told.run.id, tokenId, reason: "leaked" });
    return told;
  },

  "approval-pending": () => {
    const told = story().prompt().launch().tool("t1", { command: "rm -rf build" });
    told.ask("t1", { command: "rm -rf build" });
    return told;
  },

  "approval-denied": () => {
    const told = story().prompt().launch().tool("t1");
    const approvalId = told.ask("t1");
    const no = { decision: "deny", by: "phone", reason: "Not now" } as const;
    told.do("decide", { runId: told.run.id, approvalId, ...no });
    told.do("deliver", { runId: told.run.id, approvalId });
    const denied = {
      type: "tool_finished",
      toolCallId: "t1",
      status: "denied",
      output: "",
    } as const;
    told.do("record", { ...told.who, output: [denied] });
    return told.complete();
  },

  "approval-decided-while-dead": () => decidedWhileDead(),

  "approval-carried": () => {
    const told = decidedWhileDead();
    told.do("processDied", { runId: told.run.id, reason: "process_exit" });
    told.launch().tool("t2", { command: "make" });
    const approvalId = told.ask("t2", { command: "make" }, { workspace });
    told.do("deliver", { runId: told.run.id, approvalId });
    return told.finish("t2").complete();
  },

  "approval-changed": () => {
    const told = decidedWhileDead();
    told.do("processDied", { runId: told.run.id, reason: "process_exit" });
    told.launch().ask("t2", { command: "make install" });
    return told;
  },

  "approval-files-changed": () => {
    const told = story().prompt().launch();
    const approvalId = told.ask("t1", { command: "make" });
    const { id: runId } = told.run;
    const head = "a".repeat(40);
    const before = { digest: "1".repeat(64), head, files: [] };
    told.do("markWorkspace", { runId, approvalId, workspace: before });
    told.do("agentExited", { reason: "crashed" });
    told.do("decide", { runId, approvalId, decision: "allow", by: "me" });
    told.do("processDied", { runId, reason: "process_exit" });
    const after = {
      digest: "2".repeat(64),
      head,
      files: [["src/a.ts", "12 1"] as [string, string]],
    };
    told.launch().ask("t2", { command: "make" }, { workspace: after });
    return told;
  },

  "approval-always": () => {
    const told = story().prompt().launch();
    const approvalId = told.ask("t1", { command: "ls" });
    const always = { decision: "allow_always", by: "me" } as const;
    told.do("decide", { runId: told.run.id, approvalId, ...always });
    told.do("deliver", { runId: told.run.id, approvalId });
    told.ask("t2", { command: "ls" });
    const once = told.ask("t3", { command: "pwd" });
    told.do("decide", { runId: told.run.id, approvalId: once, ...always, scope: "run" });
    told.complete();
    return told;
  },

  "approval-always-revoked": () => {
    const told = story().prompt().launch();
    const approvalId = told.ask("t1", { command: "ls" });
    const always = { decision: "allow_always", by: "me", pattern: "*" } as const;
    told.do("decide", { runId: told.run.id, approvalId, ...always });
    told.do("revokeRule", { ruleId: told.state.rules[0]?.id as string });
    told.ask("t2", { command: "ls" });
    return told;
  },

  "queue-advanced": () => story().prompt("one").prompt("two").prompt("three").complete(),

  "queue-parked": () => {
    const told = story()
      .prompt("one")
      .prompt("two", { clientId: "c2" })
      .prompt("three")
      .prompt("four");
    const [second, third, fourth] = told.state.queue.map((queued) => queued.id) as string[];
    told.do("editQueued", { messageId: second as string, content: "two, edited" });
    told.do("removeQueued", { messageId: third as string });
    told.cancel().do("settleCancel", { runId: told.run.id });
    if (fourth === undefined) throw new Error("Four messages were sent.");
    return told;
  },

  superseded: () => story().prompt("one").launch().stand("external").prompt("Never mind"),

  "interrupt-and-send": () => {
    const told = story().prompt("one").launch().prompt("later");
    told.ask("t1");
    told.prompt("now", { whenBusy: "interrupt" });
    told.do("settleCancel", { runId: told.run.id });
    return told;
  },

  "transient-retries": () =>
    story()
      .prompt()
      .launch()
      .say("one ")
      .fail("overloaded", 529)
      .launch()
      .say("two ")
      .fail("timeout")
      .launch()
      .say("three")
      .complete(),

  "transient-retries-exhausted": () =>
    story().prompt().launch().fail("timeout").launch().fail("timeout").launch().fail("timeout"),

  continued: () => {
    const told = interrupted();
    told.do("revive", { mode: "continue" });
    told.do("revived", { rung: "injected", ms: 1200, grade: "injected" });
    told.do("retry", { runId: told.run.id, from: "error" });
    return told.say("…going on").complete();
  },

  "recovered-ahead": () => {
    const told = interrupted();
    const call = { name: "Bash", input: { command: "ls" }, output: "" };
    told.do("recover", {
      agentSessionId: "agent-1",
      of: told.who,
      parts: [
        { type: "text", text: " and the rest" },
        { type: "tool", toolCallId: "r1", ...call, status: "completed" },
        { type: "tool", toolCallId: "r2", ...call, status: "unknown" },
      ],
    });
    told.do("recover", {
      agentSessionId: "agent-1",
      of: null,
      parts: [{ type: "user", text: "said elsewhere" }],
    });
    return told;
  },

  dismissed: () => {
    const told = interrupted();
    told.do("dismiss", { runId: told.run.id });
    return told;
  },

  adopted: () => {
    const told = story().prompt();
    told.do("launchHolder", { holderId: HOLDER });
    told.do("agentReady", { agentSessionId: "a1", holderId: HOLDER });
    told.do("accept", { ...told.who, holderId: HOLDER });
    told.say("Half").reboot();
    told.do("adopt", { runId: told.run.id });
    return told.say(" and whole").complete();
  },

  unreachable: () => {
    const told = story().prompt();
    told.do("launchHolder", { holderId: HOLDER });
    told.reboot().do("unreachable", { runId: told.run.id, holderId: HOLDER });
    return told.prompt("queued meanwhile");
  },

  "paused-and-revived": () => {
    const told = story().prompt().launch();
    told.do("sandbox", { sandboxId, is: "ready" });
    told.do("pause", { reason: "explicit" });
    told.do("sandbox", { sandboxId, is: "frozen" });
    told.do("revive", {});
    told.do("reviveFailed", { error: { code: "timeout", message: "Too slow." } });
    told.do("revive", {});
    told.do("queueLaunch", { scope: "host", live: 8, limit: 8 });
    told.do("sandbox", { sandboxId, is: "thawed" });
    told.do("revived", { rung: "live", ms: 30 });
    return told;
  },

  abandoned: () => {
    const told = story()
      .prompt()
      .launch()
      .pass(5 * MINUTE);
    told.do("notice", { runId: told.run.id });
    told.do("pauseRun", { runId: told.run.id, reason: "abandoned" });
    return told;
  },

  "runtime-lost": () => {
    const told = story().prompt();
    told.do("launchHolder", { holderId: HOLDER });
    told.do("agentReady", { agentSessionId: "a1", holderId: HOLDER });
    told.complete();
    told.do("sandbox", { sandboxId, is: "ready" });
    told.do("sandbox", { sandboxId, is: "unreachable", reason: "timeout" });
    told.do("holderExited", { holderId: HOLDER, reason: "exit 0" });
    told.do("retireAgentSession", { agentSessionId: "a1", reason: "no such conversation" });
    return told;
  },

  "workspace-lost": () => {
    const told = story().prompt();
    told.do("launchHolder", { holderId: HOLDER });
    told.do("agentReady", { agentSessionId: "a1", holderId: HOLDER });
    told.complete();
    told.do("holderExited", { holderId: HOLDER, reason: "exit 0", workspace: "files" });
    told.do("loseWorkspace", { what: "gone" });
    return told;
  },

  "checkpoints-and-receipt": () => {
    const told = interrupted();
    const at = { checkpointId, atSeq: told.state.seq, consistent: true, head: "abc123" };
    told.do("checkpoint", at);
    told.do("checkpointFailed", { reason: "disk full" });
    told.do("receipt", {
      runId: told.run.id,
      rung: "restored",
      kept: ["text"],
      lost: ["1 tool result"],
      maybeTwice: ["t1"],
      evidence: { head: "abc123", dirty: true },
    });
    return told;
  },

  rewind: () => {
    const told = story().prompt("one").say("1").complete();
    const toSeq = told.state.seq;
    told.prompt("two").say("2").complete();
    told.do("rewind", { toSeq, checkpointId });
    return told.prompt("another two").say("other").complete();
  },

  fork: () => {
    const told = story().prompt("one").say("1").complete();
    told.do("fork", { from: { sessionId: `sess_${zeros}`, seq: told.state.seq } });
    return told.prompt("in the fork");
  },

  ended: () => {
    const told = story().prompt().launch().tool("t1");
    told.ask("t1");
    told.prompt("queued").do("end", { reason: "explicit" });
    return told;
  },

  "retention-fold": () => {
    const told = story()
      .prompt("one")
      .say("1")
      .complete()
      .pass(8 * 24 * 60 * MINUTE);
    told.do("foldJournal", { upTo: told.state.seq });
    return told.prompt("two").say("2").complete();
  },

  "unknown-future-kinds": () => {
    const told = story().prompt().launch().say("Half");
    const { id: runId } = told.run;
    const future: unknown[] = [
      { kind: "moon.landed", v: 2, runId, outcome: "completed" },
      { kind: "run.teleported", v: 1, runId, status: "idle", to: { planet: "Mars" } },
      { kind: "toString", runId },
    ];
    told.append(future as EventBody[]);
    return told.say(" and whole").complete();
  },
};

function interrupted(): Story {
  const told = story().prompt().launch().say("Half of it").tool("t1").prompt("queued").reboot();
  told.do("processDied", { runId: told.run.id, reason: "process_restart" });
  return told;
}

const workspace = { digest: "1".repeat(64), head: null, files: [] };

function decidedWhileDead(): Story {
  const told = story().prompt().launch().tool("t1", { command: "make" });
  const approvalId = told.ask("t1", { command: "make" });
  told.do("markWorkspace", { runId: told.run.id, approvalId, workspace });
  told.pass(60 * MINUTE).reboot();
  told.do("processDied", { runId: told.run.id, reason: "process_restart" });
  told.do("decide", { runId: told.run.id, approvalId, decision: "allow", by: "phone" });
  return told;
}
