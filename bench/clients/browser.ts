/** A browser, and pages that start with an empty cache. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import {
  type Browser,
  type BrowserContext,
  type CDPSession,
  chromium,
  type Page,
} from "playwright-core";
import { Remote } from "../streams/remote.ts";

export interface Opened {
  readonly page: Page;
  readonly cdp: CDPSession;
  readonly context: BrowserContext;
}

/** A device's storage between two visits, without its cache. */
export type Kept = Awaited<ReturnType<BrowserContext["storageState"]>>;

const executablePath = process.env.HOLDFAST_CHROMIUM ?? "/usr/bin/chromium";

export function launch(): Promise<Browser> {
  if (!existsSync(executablePath)) {
    throw new Error(
      `There is no ${executablePath}. Install Chromium or name one in HOLDFAST_CHROMIUM.`,
    );
  }
  const quiet = ["--disable-background-networking", "--disable-component-update", "--disable-sync"];
  return chromium.launch({
    executablePath,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--no-first-run",
      "--enable-precise-memory-info",
      ...quiet,
    ],
  });
}

export async function openPage(browser: Browser, slowdown: number, kept?: Kept): Promise<Opened> {
  const viewport = { width: 390, height: 844 };
  const context = await browser.newContext({ viewport, ...(kept ? { storageState: kept } : {}) });
  const page = await context.newPage();
  const cdp = await context.newCDPSession(page);
  await cdp.send("Emulation.setCPUThrottlingRate", { rate: slowdown });
  return { page, cdp, context };
}

export interface Watched extends Opened {
  readonly host: Remote;
  close(): Promise<void>;
}

/** Opens a page on a session whose agent emits deltas on request. */
export async function watching(dir: string, slowdown: number): Promise<Watched> {
  const host = await Remote.start("servers/holdfast.ts", { data: join(dir, "data") });
  const browser = await launch();
  const { url, token } = await host.call<{ url: string; token: string }>("ready");
  const opening = { count: 1, agent: "emitter" };
  const { sessions } = await host.call<{ sessions: [string] }>("open", opening);
  const opened = await openPage(browser, slowdown, await signedIn(browser, url, token));
  await opened.page.goto(`${url}/s/${sessions[0]}`);
  return {
    ...opened,
    host,
    async close() {
      await browser.close();
      await host.end("SIGKILL");
    },
  };
}

/** Signs a device in by a one-time link. */
export async function signedIn(browser: Browser, url: string, token: string): Promise<Kept> {
  const made = await fetch(`${url}/api/links`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: "{}",
  });
  const { url: link } = (await made.json()) as { url: string };
  const { page, context } = await openPage(browser, 1);
  await page.goto(link);
  await page.waitForFunction(() => localStorage.getItem("holdfast.device") !== null);
  const kept = await context.storageState();
  await context.close();
  return kept;
}
