/** A real Chromium with its own profile, which can be killed as a phone kills an app. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Connection, Target } from "./cdp.ts";

const USUAL = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** Names that resolve to this machine; all other names fail. */
const NAMES = ["phone.test", "evil.test", "rebound.test"];
const rules = [...NAMES.map((name) => `MAP ${name} 127.0.0.1`), "MAP * ~NOTFOUND"];

const flags = [
  ...["--headless=new", "--remote-debugging-port=0", "--no-first-run", "--disable-gpu"],
  ...["--disable-background-networking", "--disable-component-update", "--disable-sync"],
  ...["--disable-default-apps", "--disable-extensions", "--mute-audio", "--password-store=basic"],
  ...["--disable-dev-shm-usage", "--window-size=1280,800"],
  `--host-resolver-rules=${rules.join(", ")}, EXCLUDE 127.0.0.1, EXCLUDE localhost`,
];

export function chromiumPath(): string | null {
  const { HOLDFAST_CHROMIUM: named } = process.env;
  if (named !== undefined && named !== "") return named;
  return USUAL.find((path) => existsSync(path)) ?? null;
}

export function whyNoChromium(): string | null {
  const path = chromiumPath();
  if (path === null) return "there is no Chromium; HOLDFAST_CHROMIUM may name one";
  return existsSync(path) ? null : `HOLDFAST_CHROMIUM names ${path}, which is not there`;
}

const browsers = new Set<Browser>();

export class Browser {
  readonly #profile = mkdtempSync(join(tmpdir(), "holdfast-browser-"));
  #child: ChildProcess | null = null;
  #connection: Connection | null = null;

  static async launch(): Promise<Browser> {
    const browser = new Browser();
    browsers.add(browser);
    await browser.start();
    return browser;
  }

  /** Starts with the same profile, as when a killed app is opened again. */
  async start(): Promise<void> {
    const root = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
    const args = [...flags, ...root, `--user-data-dir=${this.#profile}`, "about:blank"];
    // A process group of its own, so that all its processes can be killed at once.
    const child = spawn(chromiumPath() ?? "", args, {
      detached: true,
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.#child = child;
    this.#connection = await Connection.open(await debuggerOf(child));
  }

  /** Another phone, which shares no storage with other devices. */
  async newDevice(): Promise<string> {
    const made = await this.#open.send<{ browserContextId: string }>("Target.createBrowserContext");
    return made.browserContextId;
  }

  newTarget(device?: string): Promise<Target> {
    return Target.create(this.#open, { device });
  }

  /** Pids of all renderer processes, to be stopped as by a suspended machine. */
  async renderers(): Promise<number[]> {
    const { processInfo } = await this.#open.send<{ processInfo: ProcessInfo[] }>(
      "SystemInfo.getProcessInfo",
    );
    return processInfo.filter(({ type }) => type === "renderer").map(({ id }) => id);
  }

  /** Kills the whole process group with SIGKILL, so that buffers are not flushed. */
  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = null;
    this.#connection?.close();
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    process.kill(-child.pid, "SIGKILL");
    await exited;
  }

  async end(): Promise<void> {
    browsers.delete(this);
    await this.kill();
    rmSync(this.#profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }

  get #open(): Connection {
    if (this.#connection === null) throw new Error("The browser does not run.");
    return this.#connection;
  }
}

interface ProcessInfo {
  readonly type: string;
  readonly id: number;
}

export async function endBrowsers(): Promise<void> {
  for (const browser of browsers) await browser.end();
}

async function debuggerOf(child: ChildProcess): Promise<string> {
  if (child.stderr === null) throw new Error("It has no stderr.");
  const said: string[] = [];
  for await (const line of createInterface({ input: child.stderr })) {
    said.push(line);
    const [, url] = /DevTools listening on (ws:\S+)/.exec(line) ?? [];
    if (url === undefined) continue;
    // An unread stderr would block the browser at some point.
    child.stderr.resume();
    return url;
  }
  throw new Error(`Chromium did not start: ${said.slice(-5).join(" | ")}`);
}
