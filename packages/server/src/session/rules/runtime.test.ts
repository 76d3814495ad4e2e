import { describe, expect, it } from "vitest";
import { HOLDER, kinds, story } from "./testing/story.ts";

const other = `hold_${"1".repeat(32)}`;
const sandboxId = `sbx_${"0".repeat(32)}`;

describe("a runtime", () => {
  it("is starting with its holder's intent, live with its agent, none with its exit", () => {
    const told = story().prompt();
    told.do("launchHolder", { holderId: HOLDER });
    expect(told.derived).toMatchObject({ runtime: "starting", lifecycle: "creating" });
    told.do("agentReady", { agentSessionId: "a", holderId: HOLDER });
    expect(told.derived).toMatchObject({ runtime: "live", lifecycle: "active" });
    told.do("agentExited", { reason: "exit 0" });
    expect(told.derived).toMatchObject({ runtime: "none", lifecycle: "paused" });
    expect(told.do("agentExited", { reason: "exit 0" })).toEqual([]);
  });

  it("inside the process that was ready before the pause of its run leaves the session paused", () => {
    const told = story().prompt();
    told.do("pause", { reason: "explicit" });
    expect(told.do("agentReady", { agentSessionId: null, holderId: null })).toEqual([]);
    expect(told.state.paused).not.toBeNull();
  });

  it("keeps the agent's own session id until it is refused for good", () => {
    const told = story().prompt().launch();
    told.do("agentExited", { reason: "crash" });
    told.do("agentReady", { agentSessionId: null, holderId: null });
    expect(told.state.runtime.agentSessionId).toBe("agent-1");
    const late = { agentSessionId: "agent-0", reason: "no such conversation" };
    expect(told.do("retireAgentSession", late)).toEqual([]);
    told.do("retireAgentSession", { ...late, agentSessionId: "agent-1" });
    expect(told.state.runtime.agentSessionId).toBe(null);
  });

  it("is not ended by the exit of a holder that was replaced [F18]", () => {
    const told = story().prompt();
    told.do("launchHolder", { holderId: HOLDER });
    expect(told.refused("launchHolder", { holderId: other }).code).toBe("already_running");
    told.do("holderExited", { holderId: HOLDER, reason: "gone" });
    told.do("launchHolder", { holderId: other });
    told.do("agentReady", { agentSessionId: null, holderId: other });
    expect(told.do("holderExited", { holderId: HOLDER, reason: "late" })).toEqual([]);
    expect(told.derived.runtime).toBe("live");
    told.do("holderExited", { holderId: other, reason: "now" });
    expect(told.derived.runtime).toBe("none");
  });

  it("that this boot did not adopt counts as gone, without an event for it", () => {
    const told = story().prompt().launch().complete();
    const { seq } = told.state;
    told.reboot();
    expect(told.derived).toMatchObject({ runtime: "none", lifecycle: "paused" });
    expect(told.state.seq).toBe(seq);
  });

  it("follows its sandbox, and no other", () => {
    const told = story().prompt().launch();
    told.do("sandbox", { sandboxId, is: "ready" });
    const words = (["frozen", "thawed", "unreachable", "thawed", "gone"] as const).map((is) => {
      told.do("sandbox", { sandboxId, is });
      return told.derived.runtime;
    });
    expect(words).toEqual(["frozen", "live", "unreachable", "live", "none"]);
    const stranger = `sbx_${"1".repeat(32)}`;
    expect(told.do("sandbox", { sandboxId: stranger, is: "gone" })).toEqual([]);
  });
});

describe("a checkpoint", () => {
  it("binds a position that exists", () => {
    const told = story().prompt();
    const checkpointId = `ckpt_${"0".repeat(32)}`;
    const one = { checkpointId, atSeq: told.state.seq, consistent: true, head: null };
    expect(told.refused("checkpoint", { ...one, atSeq: 99 }).code).toBe("cursor_ahead");
    expect(kinds(told.do("checkpoint", one))).toEqual(["checkpoint.created"]);
    told.do("checkpointFailed", { reason: "disk" });
    expect(told.state.checkpoint).toMatchObject({ id: checkpointId, consistent: true });
  });
});
