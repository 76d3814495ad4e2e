/** A page that watches a working agent: the load of its main thread and its longest tasks. */

import { setTimeout as sleep } from "node:timers/promises";
import type { CDPSession } from "playwright-core";
import type { Job, Metrics } from "../cell.ts";
import { watching } from "../clients/browser.ts";

export async function run({ dir, options }: Job): Promise<Metrics> {
  const { seconds = 30, rate = 50, slowdown = 1, before = 500 } = options;
  const { host, page, cdp, close } = await watching(dir, slowdown);
  try {
    // The agent is already working when the measurement begins.
    const count = before + (seconds + 10) * rate;
    await host.call("emit", { session: 0, from: 1, count: before, rate: 0, kind: "work" });
    await page.waitForFunction(() => document.querySelector("[role=log]")?.textContent !== "");
    await sleep(2000);
    await host.call("emit", { session: 0, from: before + 1, count, rate, kind: "work" });
    await page
      .getByText(/Generating/)
      .first()
      .waitFor();
    await sleep(1000);
    const start = await busy(cdp);
    const tasks = await traced(cdp, seconds * 1000);
    const end = await busy(cdp);
    const share = (end.task - start.task) / (end.at - start.at);
    return {
      share: share * 100,
      longestMs: Math.max(...tasks),
      over50: tasks.filter((ms) => ms > 50).length,
      scriptShare: (100 * (end.script - start.script)) / (end.at - start.at),
      layoutShare: (100 * (end.layout - start.layout)) / (end.at - start.at),
    };
  } finally {
    await close();
  }
}

async function busy(cdp: CDPSession) {
  await cdp.send("Performance.enable", { timeDomain: "timeTicks" });
  const { metrics } = await cdp.send("Performance.getMetrics");
  const of = (name: string) => metrics.find((metric) => metric.name === name)?.value ?? 0;
  return {
    at: of("Timestamp"),
    task: of("TaskDuration"),
    script: of("ScriptDuration"),
    layout: of("LayoutDuration") + of("RecalcStyleDuration"),
  };
}

/** Durations of all tasks of the page's main thread in ms, from the browser's trace. */
async function traced(cdp: CDPSession, ms: number): Promise<number[]> {
  const found: TraceEvent[] = [];
  cdp.on("Tracing.dataCollected", ({ value }) => found.push(...(value as unknown as TraceEvent[])));
  await cdp.send("Tracing.start", {
    transferMode: "ReportEvents",
    traceConfig: { includedCategories: ["disabled-by-default-devtools.timeline", "toplevel"] },
  });
  await sleep(ms);
  const complete = new Promise((resolve) => cdp.once("Tracing.tracingComplete", resolve));
  await cdp.send("Tracing.end");
  await complete;
  const main = found.find(
    ({ name, args }) => name === "thread_name" && args?.name === "CrRendererMain",
  );
  return found
    .filter(({ name, tid, pid }) => name === "RunTask" && tid === main?.tid && pid === main?.pid)
    .map(({ dur = 0 }) => dur / 1000);
}

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly dur?: number;
  readonly args?: { readonly name?: string };
}
