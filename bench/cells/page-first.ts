/** Time from the navigation to the session on the screen, with the CPU slowed down four times. */

import { join } from "node:path";
import type { Job, Metrics } from "../cell.ts";
import { type Kept, launch, openPage, signedIn } from "../clients/browser.ts";
import { percentile } from "../stats.ts";
import { Remote } from "../streams/remote.ts";

interface Subject {
  readonly address: string;
  readonly kept?: Kept;
  close(): Promise<void>;
}

/** Records the first frame in which the log has text, counted from the start of the navigation. */
const watching = `{
  const look = () => {
    if (!document.querySelector("[role=log]")?.textContent) return;
    watcher.disconnect();
    requestAnimationFrame(() => requestAnimationFrame((at) => { globalThis.shownAt = at; }));
  };
  const watcher = new MutationObserver(look);
  watcher.observe(document, { childList: true, subtree: true, characterData: true });
}`;

export async function run({ peer, dir, options }: Job): Promise<Metrics> {
  const { loads = 9, slowdown = 4, turns = 10 } = options;
  const browser = await launch();
  try {
    const subject = peer === "floor" ? await empty(dir) : await holdfast(dir, turns, browser);
    const took: number[] = [];
    const bytes: number[] = [];
    for (let n = 0; n < loads + 1; n++) {
      const { page, context } = await openPage(browser, slowdown, subject.kept);
      await page.addInitScript(watching);
      await page.goto(subject.address, { waitUntil: "commit" });
      await page.waitForFunction(() => (globalThis as { shownAt?: number }).shownAt !== undefined);
      const seen = await page.evaluate(() => ({
        at: (globalThis as { shownAt?: number }).shownAt ?? 0,
        bytes: performance
          .getEntriesByType("resource")
          .reduce((sum, entry) => sum + (entry as PerformanceResourceTiming).transferSize, 0),
      }));
      await context.close();
      // The first load also fills the server's caches.
      if (n === 0) continue;
      took.push(seen.at);
      bytes.push(seen.bytes);
    }
    await subject.close();
    const sorted = Float64Array.from(took).sort();
    return {
      ms: percentile(sorted, 0.5),
      maxMs: percentile(sorted, 1),
      kB: percentile(Float64Array.from(bytes).sort(), 0.5) / 1000,
    };
  } finally {
    await browser.close();
  }
}

async function empty(dir: string): Promise<Subject> {
  const server = await Remote.start("servers/floor-page.ts", { dir });
  const { url } = await server.call<{ url: string }>("ready");
  return { address: url, close: () => server.end() };
}

async function holdfast(
  dir: string,
  turns: number,
  browser: Awaited<ReturnType<typeof launch>>,
): Promise<Subject> {
  const host = await Remote.start("servers/holdfast.ts", { data: join(dir, "data") });
  const { url, token } = await host.call<{ url: string; token: string }>("ready");
  // The list has other sessions; the opened one has a history with a tool call in every answer.
  await host.call("open", { count: 20, agent: "emitter" });
  const { sessions } = await host.call<{ sessions: string[] }>("open", {
    count: 1,
    agent: "stub",
    turns,
  });
  const kept = await signedIn(browser, url, token);
  return { address: `${url}/s/${sessions.at(-1)}`, kept, close: () => host.end("SIGKILL") };
}
