/** Memory and DOM size of a page while an answer grows to ten thousand parts. */

import type { CDPSession, Page } from "playwright-core";
import type { Job, Metrics } from "../cell.ts";
import { watching } from "../clients/browser.ts";

export async function run({ dir, options }: Job): Promise<Metrics> {
  const { few = 1000, many = 10_000 } = options;
  const { host, page, cdp, close } = await watching(dir, 1);
  try {
    const emit = async (from: number, count: number) => {
      await host.call("emit", { session: 0, from, count, rate: 0, kind: "parts" });
      await page
        .getByRole("log")
        .getByText(`Step ${from + count - 1}`)
        .first()
        .waitFor({ timeout: 120_000 });
      return held(page, cdp);
    };
    const first = await emit(1, few);
    const last = await emit(few + 1, many - few);
    return {
      fewMb: first.mb,
      manyMb: last.mb,
      heapTimes: last.mb / first.mb,
      fewNodes: first.nodes,
      manyNodes: last.nodes,
      nodesTimes: last.nodes / first.nodes,
      bytesPerPart: ((last.mb - first.mb) * 2 ** 20) / (many - few),
    };
  } finally {
    await close();
  }
}

async function held(page: Page, cdp: CDPSession) {
  await cdp.send("HeapProfiler.collectGarbage");
  const { usedSize } = await cdp.send("Runtime.getHeapUsage");
  const nodes = await page.evaluate(() => document.querySelectorAll("*").length);
  return { mb: usedSize / 2 ** 20, nodes };
}
