/** Counters in Prometheus' text format. They start at zero with every boot, as Prometheus expects. */

import type { HandlerDeps } from "../request/deps.ts";

export function countingMetrics({ host, live }: Pick<HandlerDeps, "host" | "live">): () => string {
  const { sessions, recovery } = host;
  let appends = 0;
  let events = 0;
  let started = 0;
  // Boot recovery is done before this subscribes; it interrupted one run in each session it names.
  let interrupted = recovery.interrupted.length;
  sessions.onDurable((_session, executed) => {
    appends++;
    events += executed.events.length;
    for (const { kind } of executed.events) {
      if (kind === "run.started") started++;
      if (kind === "run.interrupted") interrupted++;
    }
  });
  return () => {
    const { runtimes, followers } = live();
    return [
      metric("gauge", "sessions_loaded", "Sessions whose state is in memory", sessions.loaded),
      metric("gauge", "runtimes_live", "Sessions whose agent is running", runtimes),
      metric("gauge", "followers", "Connections that follow a session", followers),
      metric("counter", "appends_total", "Batches made durable", appends),
      metric("counter", "events_total", "Events made durable", events),
      metric("counter", "runs_started_total", "Runs started", started),
      metric("counter", "runs_interrupted_total", "Runs found interrupted", interrupted),
      recovered(recovery),
    ].join("");
  };
}

function metric(type: "gauge" | "counter", name: string, help: string, value: number): string {
  return `${head(type, name, help)}holdfast_${name} ${value}\n`;
}

function head(type: "gauge" | "counter", name: string, help: string): string {
  return `# HELP holdfast_${name} ${help}\n# TYPE holdfast_${name} ${type}\n`;
}

function recovered(recovery: HandlerDeps["host"]["recovery"]): string {
  const name = "recovered_sessions";
  const lines = Object.entries(recovery).map(
    ([verdict, sessions]) => `holdfast_${name}{verdict="${verdict}"} ${sessions.length}\n`,
  );
  return (
    head("gauge", name, "Open runs found at the start of the host, by result") + lines.join("")
  );
}
