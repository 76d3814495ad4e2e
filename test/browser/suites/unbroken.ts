/**
 * The page never turns blank: code that fails to load, a page older than its host, links, and
 * notifications.
 */

import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createClient } from "@holdfast/client";
import type { Suite } from "../../long/suite.ts";
import { onStage, type StageOptions } from "../hosts.ts";
import { buttons, groups, places, regions, said } from "../words.ts";

async function lateCode(): Promise<readonly string[]> {
  return onStage(async (stage) => {
    const { id } = await stage.world.create("/say hello");
    const page = await stage.enter(id);
    await page.sees(said.done);
    await page.target.send("Network.setBlockedURLs", { urls: ["*/assets/s*-page-*"] });
    await page.write("a draft that must not go");
    await page.press(buttons.side);
    await page.seesRegion(regions.notLoaded);
    await page.press(buttons.leave);
    await page.seesRegion(regions.transcript);
    assert.equal(await page.draft(), "a draft that must not go");
    await page.press(buttons.side);
    await page.seesRegion(regions.notLoaded);
    await page.target.send("Network.setBlockedURLs", { urls: [] });
    // It loads by itself, by another try or by one reload of the page.
    await page.until("the part", async () => (await page.region(regions.notLoaded)) === null);
    await page.sees("Timeline");
    await page.press("Close");
    assert.equal(await page.draft(), "a draft that must not go");
    assert.ok(page.loads <= 2, `it was loaded ${page.loads} times`);
  });
}

const built = fileURLToPath(new URL("../../../packages/server/app/", import.meta.url));

/** Renames the page's first script, as any change of the code would. */
function renameEntry(app: string, name: string): void {
  const index = join(app, "index.html");
  const html = readFileSync(index, "utf8");
  const [, entry = ""] = /type="module"[^>]*src="([^"]+)"/.exec(html) ?? [];
  renameSync(join(app, entry), join(app, "assets", name));
  writeFileSync(index, html.replaceAll(entry, `/assets/${name}`));
}

async function newerHost(): Promise<readonly string[]> {
  const app = mkdtempSync(join(tmpdir(), "holdfast-app-"));
  try {
    cpSync(built, app, { recursive: true });
    return await onStage(
      async (stage) => {
        const { world } = stage;
        const { id } = await world.create("/say hello");
        const page = await stage.enter(id);
        await page.sees(said.done);
        await page.write("kept");
        await page.target.evaluate(() => (document.activeElement as HTMLElement).blur());
        for (const name of ["index-newer.js", "index-newest.js", null]) {
          const loads = page.loads;
          await world.kill();
          if (name !== null) renameEntry(app, name);
          await page.sees(said.hostAway);
          await world.start();
          await page.seesNo(said.hostAway);
          if (name !== null) await page.until("another load", async () => page.loads > loads);
          await page.sees(said.done);
          assert.equal(await page.draft(), "kept");
        }
        assert.equal(page.loads, 3);
      },
      { app },
    );
  } finally {
    rmSync(app, { recursive: true, force: true });
  }
}

function pasteLink(code: string): void {
  location.hash = `link=${code}`;
}

async function pastedLink(): Promise<readonly string[]> {
  return onStage(async (stage) => {
    const { id } = await stage.world.create("/say hello", { title: "Linked to" });
    const page = await stage.page();
    await page.open("/");
    await page.sees(said.signedOut);
    const body = { session: id };
    const { code } = await stage.world.client.call("createLink", { body });
    await page.target.evaluate(pasteLink, code);
    await page.sees(said.done);
    const address = await page.target.evaluate(() => location.href);
    assert.ok(!address.includes("link"), address);
    assert.equal(page.loads, 1);
    // A second link in the same browser keeps the device, and opens its session.
    const { devices } = await stage.world.client.call("listDevices");
    const again = await stage.world.client.call("createLink", { body });
    await page.open(`/?second#link=${again.code}`);
    await page.sees(said.done);
    await page.until("the same devices", async () => {
      const now = await stage.world.client.call("listDevices");
      assert.deepEqual(
        now.devices.map((one) => one.id),
        devices.map((one) => one.id),
      );
      return true;
    });
    // The same link once more: pasted into the open page, and opened anew.
    for (const isOpen of [true, false]) {
      if (isOpen) await page.target.evaluate(pasteLink, code);
      else await page.open(`/?again#link=${code}`);
      await page.sees("This link was already used or has expired.");
      await page.sees(said.signedIn);
      await page.press(buttons.goOn);
      await page.sees("Linked to");
    }
  });
}

/** Opens a link from a foreign page by `window.open`. */
async function foreignLink(): Promise<readonly string[]> {
  return onStage(async (stage) => {
    const { client } = stage.world;
    await stage.world.create("/say hello", { title: "Ours" });
    const page = await stage.enter(null);
    await page.sees("Ours");
    const kept = () => page.target.evaluate(() => localStorage.getItem("holdfast.device"));
    const before = await kept();
    const key = await client.call("createKey", { body: { name: "m", tenant: "mallory" } });
    const theirs = createClient({ url: stage.world.url, token: key.secret });
    for (const answer of ["Stay in", "Switch to"]) {
      const { code } = await theirs.call("createLink", { body: {} });
      await page.target.evaluate(pasteLink, code);
      await page.sees("Sign in to “mallory” instead?");
      assert.equal(await kept(), before);
      await page.target.evaluate((word) => {
        const all = [...document.querySelectorAll("button")];
        all.find(({ textContent }) => textContent?.startsWith(word))?.click();
      }, answer);
      await page.seesNo("instead?");
      if (answer === "Stay in") {
        await page.sees("Ours");
        assert.equal(await kept(), before);
        assert.deepEqual((await theirs.call("listDevices")).devices, []);
      } else {
        await page.until("the other credential", async () => (await kept()) !== before);
      }
    }
  });
}

/** A browser that records notifications, and then one that throws, as Chrome on Android does. */
export async function notified(options: StageOptions = {}): Promise<readonly string[]> {
  return onStage(async (stage) => {
    const page = await stage.enter(null);
    await page.sees(said.firstVisit);
    await page.target.evaluate(() => {
      localStorage.setItem("holdfast.notify", "on");
      const told: string[] = [];
      const shown = class {
        static permission = "granted";
        constructor(title: string, { body }: { body: string }) {
          told.push(`${title}: ${body}`);
        }
      };
      Object.defineProperty(document, "visibilityState", { get: () => "hidden" });
      Object.assign(globalThis, { told, Notification: shown });
    });
    const told = () =>
      page.target.evaluate(() => (globalThis as unknown as { told: string[] }).told.join(" | "));
    await stage.world.create("/slow=20 /count=20", { title: "Counts" });
    await page.inGroup(groups.done, "Counts");
    await page.until("news of done work", async () => /Counts: done/.test(await told()));
    await page.target.evaluate(() => {
      class Notification {
        static permission = "granted";
        constructor() {
          throw new TypeError("Illegal constructor. Use showNotification() instead.");
        }
      }
      Object.assign(globalThis, { Notification });
    });
    await stage.world.create("/slow=20 /count=5 /ask", { title: "Asks" });
    await page.inGroup(groups.needsYou, "Asks");
    await page.seesNo("Something went wrong on this page");
  }, options);
}

async function signedOut(): Promise<readonly string[]> {
  return onStage(async (stage) => {
    const page = await stage.enter(null);
    await page.open(places.settings);
    await page.press(buttons.signOut);
    await page.until("a last question", () =>
      page.target.evaluate((name) => {
        const dialog = document.querySelector("[role=dialog]");
        const all = [...(dialog?.querySelectorAll("button") ?? [])];
        const found = all.find((button) => button.textContent === name);
        found?.click();
        return found !== undefined;
      }, buttons.signOut),
    );
    await page.sees(said.signedOut);
    assert.equal(await page.target.evaluate(() => localStorage.getItem("holdfast.device")), null);
    const { devices } = await stage.world.client.call("listDevices");
    assert.deepEqual(devices, []);
  });
}

export const unbroken: Suite = {
  name: "unbroken",
  async run({ test, short }) {
    await test("code that fails to load is reported and retried, and leaves a way back", lateCode);
    if (short) return;
    await test(
      "a sign-in link that is pasted into an open page signs the device in, and a used one says that it was used",
      pastedLink,
    );
    await test(
      "a link of another tenant asks before it switches a signed-in browser [P36]",
      foreignLink,
    );
    await test(
      "finished work is notified, and a browser without notifications still works",
      notified,
    );
    await test("a device signs itself out, and deletes its credentials", signedOut);
    await test("a page that is older than its host reloads once and keeps its draft", newerHost);
  },
};
