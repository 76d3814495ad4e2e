import { afterEach, expect, test, vi } from "vitest";
import { isPageCut, Network } from "./network.ts";

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("a page that Break it cuts off hears that it is offline, and that it is online afterwards", () => {
  vi.useFakeTimers();
  const heard: [string, boolean][] = [];
  vi.stubGlobal("dispatchEvent", ({ type }: Event) => heard.push([type, isPageCut()]));
  new Network().cut(1000);
  vi.advanceTimersByTime(1000);
  expect(heard).toEqual([
    ["offline", true],
    ["online", false],
  ]);
});
