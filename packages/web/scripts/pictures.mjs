/**
 * Takes a screenshot of every gallery state at two sizes and in both themes, and of some states at
 * more sizes, under the product's own content security policy:
 *
 *   node scripts/pictures.mjs [--only name,name] [--size phone] [--theme dark|forced] [--no-build] [--axe]
 *
 * Writes .pictures/<size>-<theme>/<state>.png. Reports blocked requests and axe violations.
 */

import { readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { chromium } from "playwright-core";
import { build } from "vite";

const here = fileURLToPath(new URL("..", import.meta.url));
const dist = join(here, ".gallery");
const pictures = join(here, "../../.pictures");

const { values: flags } = parseArgs({
  options: {
    only: { type: "string" },
    size: { type: "string" },
    theme: { type: "string" },
    "no-build": { type: "boolean", default: false },
    axe: { type: "boolean", default: false },
    chromium: { type: "string", default: "/usr/bin/chromium" },
  },
});

const sizes = { phone: { width: 390, height: 844 }, desk: { width: 1280, height: 800 } };
/**
 * More sizes for the states that are tight on space: landscape, above a keyboard, tiny, at 400 %
 * zoom, a tablet.
 */
const moreSizes = {
  landscape: { width: 844, height: 390 },
  keyboard: { width: 390, height: 500 },
  tiny: { width: 320, height: 568 },
  zoomed: { width: 320, height: 256 },
  tablet: { width: 820, height: 1180 },
};
const atMoreSizes =
  /^(decision-|interrupted|list|streaming|two-hundred|queue-of-two|settings|new-session|splice|host-restarting|offline|big-edit|wide-table|right-to-left|picture)/;
const themes = ["light", "dark"];
/** States to draw with forced colours, as in Windows high contrast mode. */
const forced =
  /^(big-edit|list|streaming|decision-tray|decision-plan|interrupted|settings|new-session)$/;

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const types = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
};

function serve() {
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    const path = pathname === "/" ? "/index.html" : pathname;
    try {
      const body = await readFile(join(dist, path));
      response.writeHead(200, {
        "content-type": types[extname(path)] ?? "application/octet-stream",
        "content-security-policy": policy,
      });
      response.end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve(server));
  });
}

async function main() {
  process.chdir(here);
  if (!flags["no-build"]) {
    await build({ configFile: join(here, "vite.gallery.ts"), logLevel: "warn" });
  }
  const server = await serve();
  const url = `http://127.0.0.1:${server.address().port}/`;
  const browser = await chromium.launch({
    executablePath: flags.chromium,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--no-first-run",
    ],
  });
  let isClean = true;
  const mind = (words) => {
    isClean = false;
    console.log(words);
  };
  const names = flags.only?.split(",") ?? (await namesOf(browser, url));
  if (!(flags.only || flags.size || flags.theme))
    await rm(pictures, { recursive: true, force: true });
  for (const [size, viewport] of Object.entries({ ...sizes, ...moreSizes })) {
    if (flags.size !== undefined && flags.size !== size) continue;
    const isUsual = Object.hasOwn(sizes, size);
    const isTouched = size !== "desk";
    for (const theme of isUsual ? [...themes, "forced"] : themes) {
      if (flags.theme !== undefined && flags.theme !== theme) continue;
      const wanted = names.filter(
        (name) => (isUsual || atMoreSizes.test(name)) && (theme !== "forced" || forced.test(name)),
      );
      const context = await browser.newContext({
        viewport,
        ...(theme === "forced" ? { forcedColors: "active" } : { colorScheme: theme }),
        reducedMotion: "reduce",
        timezoneId: "Europe/Berlin",
        locale: "en-GB",
        hasTouch: isTouched,
        isMobile: isTouched,
        deviceScaleFactor: size === "phone" ? 2 : 1,
      });
      for (const name of wanted) {
        const page = await context.newPage();
        page.on("console", (message) => {
          if (message.type() === "error") mind(`${size} ${theme} ${name}: ${message.text()}`);
        });
        page.on("pageerror", (error) => mind(`${size} ${theme} ${name}: ${error.message}`));
        await page.goto(`${url}#${name}`, { waitUntil: "networkidle" });
        await page.waitForFunction(() => document.querySelector("[data-loading]") === null);
        await page.screenshot({ path: join(pictures, `${size}-${theme}`, `${name}.png`) });
        await widthOf(page, (words) => mind(`${size} ${theme} ${name}: ${words}`));
        if (flags.axe)
          for (const words of await axe(page)) mind(`${size} ${theme} ${name}: ${words}`);
        await page.close();
      }
      await context.close();
    }
  }
  await browser.close();
  server.close();
  console.log(`${names.length} states in ${pictures}`);
  if (!isClean) process.exitCode = 1;
}

async function namesOf(browser, url) {
  const page = await browser.newPage();
  await page.goto(url);
  const names = await page.locator("li a").allTextContents();
  await page.close();
  return names;
}

/** A phone's page must not be wider than its screen. */
async function widthOf(page, mind) {
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  if (wide > 0) mind(`${wide} px too wide`);
}

async function axe(page) {
  const source = await readFile(
    createRequire(import.meta.url).resolve("axe-core/axe.min.js"),
    "utf8",
  );
  // Runs through the debugger, because the page's policy refuses an added script tag.
  await page.evaluate(source);
  const { violations } = await page.evaluate(() => globalThis.axe.run());
  return violations.map(
    ({ impact, id, nodes }) =>
      `axe ${impact} ${id}: ${nodes
        .map(({ html }) => html.slice(0, 160))
        .slice(0, 3)
        .join(" | ")}`,
  );
}

await main();
