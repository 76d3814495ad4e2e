import type { SessionId } from "@holdfast/protocol";
import { describe, expect, test } from "vitest";
import { done, type Script, text } from "../../testing/scripted-agent.ts";
import { testApp } from "../testing/test-app.ts";

const script: Script = ({ content }) =>
  content === "stall"
    ? [
        { type: "tool_started", toolCallId: "t1", name: "bash", input: {}, gated: false },
        { type: "stall" },
      ]
    : [text("done"), done()];

describe("metrics", () => {
  const counted = (metrics: string, name: string) =>
    Number(new RegExp(`^holdfast_${name} (\\d+)$`, "m").exec(metrics)?.[1]);

  test("count the work of this process, in Prometheus' text format", async () => {
    const { ask, send, host } = await testApp({ script });
    const { session } = await ask("createSession", { body: { agent: "demo", message: "go" } });
    const id = session.id as SessionId;
    await host.until(id, "run.completed");
    const events = await host.events(id);
    const response = await send("metrics");
    expect(response.headers.get("content-type")).toMatch(/^text\/plain/);
    const metrics = await response.text();
    for (const line of metrics.trimEnd().split("\n")) {
      expect(line).toMatch(/^(# (HELP|TYPE) holdfast_\w+ .+|holdfast_\w+(\{\w+="\w+"\})? \d+)$/);
    }
    expect(counted(metrics, "events_total")).toBe(events.length);
    expect(counted(metrics, "runs_started_total")).toBe(1);
    expect(counted(metrics, "sessions_loaded")).toBe(1);
    expect(counted(metrics, "followers")).toBe(7);
    expect(counted(metrics, "runs_interrupted_total")).toBe(0);
  });

  test("count every interrupted run, found at boot or seen since", async () => {
    const first = await testApp({ script });
    const stall = async (app: typeof first) => {
      const body = { agent: "demo", message: "stall" };
      const id = (await app.ask("createSession", { body })).session.id as SessionId;
      await app.host.until(id, "tool.started");
      return id;
    };
    await stall(first);
    await stall(first);
    const next = await testApp({ host: await first.host.crash() });
    const atBoot = await next.ask("metrics");
    expect(counted(atBoot, "runs_interrupted_total")).toBe(2);
    expect(atBoot).toContain('holdfast_recovered_sessions{verdict="interrupted"} 2\n');
    expect(atBoot).toContain('holdfast_recovered_sessions{verdict="adopted"} 0\n');
    const id = await stall(next);
    const runId = (await next.host.sessions.state(id)).run?.id ?? "";
    await next.host.sessions.execute(id, "processDied", { runId, reason: "process_exit" });
    expect(counted(await next.ask("metrics"), "runs_interrupted_total")).toBe(3);
  });
});

test("agents are listed with what is missing to run them", async () => {
  const { ask } = await testApp();
  expect((await ask("listAgents")).agents).toMatchObject([{ name: "demo", missing: null }]);
});

test("the host reports the command by which a terminal on its machine calls it", async () => {
  const { ask } = await testApp();
  expect(await ask("getHost")).toEqual({ command: "holdfast" });
});
