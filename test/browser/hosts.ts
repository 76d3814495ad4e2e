/** A real host, the wire that all pages use, and the browser of these pages. */

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { endWorld, openWorld, type RoundOptions } from "../rounds/worlds.ts";
import type { World } from "../story/world.ts";
import { Browser } from "./chromium.ts";
import { Page, phone, type Size } from "./page.ts";
import { Wire } from "./wire.ts";

export interface StageOptions extends RoundOptions {
  /** A build of the page that replaces the host's own. */
  readonly app?: string | undefined;
}

export interface Opening {
  readonly size?: Size;
  /** Host name by which the page is opened; loopback, which browsers trust, by default. */
  readonly name?: string;
  /** A device that is already signed in, or the browser's own profile; a new device by default. */
  readonly device?: string | typeof profile;
}

/** The profile that survives a kill of the browser; other devices end with it. */
export const profile = Symbol("profile");

const NAMES = ["127.0.0.1", "phone.test"];

export class Stage {
  readonly world: World;
  readonly wire: Wire;
  readonly browser: Browser;
  readonly #pages: Page[] = [];

  private constructor(world: World, wire: Wire, browser: Browser) {
    this.world = world;
    this.wire = wire;
    this.browser = browser;
  }

  static async open(browser: Browser, { app, env, ...options }: StageOptions = {}): Promise<Stage> {
    const wire = await Wire.open();
    const served = app ?? process.env.HOLDFAST_TEST_APP;
    const world = await openWorld({
      pace: 20,
      ...(served === undefined ? {} : { mutant: "page" }),
      ...options,
      env: {
        HOLDFAST_ALLOW_REMOTE: NAMES.map((name) => `${name}:${wire.port}`).join(","),
        ...(served === undefined ? {} : { HOLDFAST_TEST_APP: served }),
        ...env,
      },
    });
    wire.target = Number(new URL(world.url).port);
    return new Stage(world, wire, browser);
  }

  origin(name = "127.0.0.1"): string {
    return `http://${name}:${this.wire.port}`;
  }

  /** Signs in a device by a link and opens a session, or the list when `session` is null. */
  async enter(session: string | null, opening: Opening = {}): Promise<Page> {
    const page = await this.page(opening);
    const body = session === null ? {} : { session };
    const { code } = await this.world.client.call("createLink", { body });
    await page.open(`/#link=${code}`);
    await page.until("the page", async () => (await page.heading()) !== null);
    return page;
  }

  /** An empty tab. */
  async page({ size = phone, name, device }: Opening = {}): Promise<Page> {
    const own = device === profile ? undefined : (device ?? (await this.browser.newDevice()));
    const page = await Page.of(await this.browser.newTarget(own), this.origin(name), size);
    this.#pages.push(page);
    return page;
  }

  /** Checks that no page had errors, blocked resources, script injections or foreign requests. */
  assertWell(): void {
    for (const { faults } of this.#pages) {
      assert.deepEqual(faults, { errors: [], blocked: [], ran: [], strayed: [] });
    }
  }

  async end(): Promise<void> {
    for (const page of this.#pages) await page.target.close().catch(() => undefined);
    this.wire.close();
    await endWorld(this.world);
  }
}

const parrot = fileURLToPath(new URL("./agents/parrot.mjs", import.meta.url));

/** Restarts the host with the parrot agent in its config. */
export async function addParrot(world: World): Promise<void> {
  await world.stop();
  const agents = { parrot: { title: "Parrot", command: [process.execPath, parrot] } };
  writeFileSync(join(world.data, "config.json"), JSON.stringify({ agents }));
  await world.start();
}

let shared: Promise<Browser> | null = null;

/** Requirements of a test: its own browser, if the test stops or kills it. */
export interface Needs extends StageOptions {
  readonly ownBrowser?: boolean;
}

/**
 * Runs a test on its own stage. The test throws on failure; at the end all pages are checked for
 * faults.
 */
export async function onStage(
  act: (stage: Stage) => Promise<void>,
  { ownBrowser = false, ...options }: Needs = {},
): Promise<readonly string[]> {
  shared ??= ownBrowser ? null : Browser.launch();
  const browser = await (ownBrowser ? Browser.launch() : shared);
  if (browser === null) throw new Error("There is no browser.");
  const stage = await Stage.open(browser, options);
  try {
    await act(stage);
    stage.assertWell();
    return [];
  } finally {
    await stage.end();
    if (ownBrowser) await browser.end();
  }
}
