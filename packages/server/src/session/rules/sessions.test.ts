import { describe, expect, it } from "vitest";
import { kinds, story } from "./testing/story.ts";

const id = `sess_${"0".repeat(32)}`;

describe("a session", () => {
  it("is created once, with the words of one that never ran", () => {
    const told = story();
    expect(kinds(told.events)).toEqual(["session.created"]);
    expect(told.derived).toMatchObject({ lifecycle: "creating", status: "idle", runStatus: null });
    const again = { sessionId: id, tenant: "t", title: "x", agentName: "demo" };
    expect(told.refused("create", again).code).toBe("session_exists");
  });

  it("keeps what it was created with", () => {
    const told = story({ created: false }).create({
      title: "Fix it",
      model: "large",
      workspace: { kind: "clone", path: "/repo", branch: "main" },
      policy: { transientRetries: 1 },
    });
    expect(told.state).toMatchObject({
      title: "Fix it",
      tenant: "t",
      agentName: "demo",
      model: "large",
      workspace: { kind: "clone", path: "/repo", branch: "main" },
      policy: { transientRetries: 1 },
    });
  });

  it("needs a path for a workspace that comes from somewhere", () => {
    const told = story({ created: false });
    const input = { sessionId: id, tenant: "t", title: "x", agentName: "demo" };
    const error = told.refused("create", { ...input, workspace: { kind: "clone" } });
    expect(error).toMatchObject({ code: "bad_input", message: expect.stringContaining("path") });
  });

  it("refuses a policy that cannot be set per session", () => {
    const told = story();
    expect(told.refused("setPolicy", { policy: { sweep: 1 } }).code).toBe("bad_input");
    told.do("setPolicy", { policy: { launchSilence: 5 } });
    told.do("setPolicy", { policy: { sessionTtl: 7 } });
    expect(told.state.policy).toEqual({ launchSilence: 5, sessionTtl: 7 });
  });

  it("says a new title once", () => {
    const told = story();
    expect(kinds(told.do("rename", { title: "New" }))).toEqual(["session.renamed"]);
    expect(told.do("rename", { title: "New" })).toEqual([]);
  });
});
