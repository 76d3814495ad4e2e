/** Checks every page for screen readers and keyboards, by the rules of axe. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Suite } from "../../long/suite.ts";
import { onStage, type Stage } from "../hosts.ts";
import { desk, type Page, phone } from "../page.ts";
import { buttons, places, regions, said, tabs } from "../words.ts";

interface Axe {
  run(): Promise<{ violations: readonly Violation[] }>;
}

interface Violation {
  readonly impact: string | null;
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Runs axe through the debugger, because the page's content policy refuses a script tag. */
async function violations(page: Page, where: string): Promise<string[]> {
  await page.target.run(`${source}; void 0`);
  const found = await page.target.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: Axe };
    return (await axe.run()).violations;
  });
  return found
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${where}: ${id} ${nodes[0]?.html.slice(0, 200)}`);
}

const look = {
  dark: { name: "prefers-color-scheme", value: "dark" },
  light: { name: "prefers-color-scheme", value: "light" },
} as const;
const still = { name: "prefers-reduced-motion", value: "reduce" };

async function everyPage(stage: Stage, page: Page, ids: Readonly<Record<string, string>>) {
  const found: string[] = [];
  const see = async (where: string) => found.push(...(await violations(page, where)));
  for (const [name, place] of Object.entries(places)) {
    await page.open(place);
    await page.until(name, async () => (await page.heading()) !== null);
    await see(name);
  }
  await page.open(places.list);
  await page.press(buttons.newSession);
  await page.until("the sheet", async () => (await page.interruptions()) === 1);
  await see("new session");
  for (const [region, id] of Object.entries(ids)) {
    await page.open(`/s/${id}`);
    await page.seesRegion(region);
    await see(`${region}, ${id}`);
  }
  await page.press(buttons.side);
  for (const tab of Object.values(tabs)) {
    await page.press(tab);
    await see(`side pane, ${tab}`);
  }
  const out = await stage.page({ size: phone });
  await out.open("/");
  await out.sees(said.signedOut);
  found.push(...(await violations(out, "signed out")));
  await out.target.close();
  return found;
}

async function allSizes(): Promise<readonly string[]> {
  return onStage(async (stage) => {
    const { world } = stage;
    const asking = (await world.create("/say first /ask")).id;
    const failed = (await world.create("/fail")).id;
    const worked = (await world.create("/work")).id;
    await world.untilKind(asking, "approval.requested");
    await world.untilKind(failed, "run.failed");
    await world.untilKind(worked, "approval.requested");
    const shown = {
      [regions.decision]: worked,
      [regions.failed]: failed,
      [regions.transcript]: asking,
    };
    const found: string[] = [];
    for (const size of [phone, desk]) {
      for (const theme of [look.light, look.dark]) {
        const page = await stage.enter(null, { size });
        await page.target.send("Emulation.setEmulatedMedia", { features: [theme, still] });
        const where = `${size.width} ${theme.value}`;
        const all = await everyPage(stage, page, shown);
        found.push(...all.map((one) => `${where} ${one}`));
        await page.target.close();
      }
    }
    assert.deepEqual(found, []);
  });
}

export const readers: Suite = {
  name: "readers",
  async run({ test, short }) {
    if (short) return;
    await test("axe finds no serious problem on any page, at two sizes, in both themes", allSizes);
  },
};
