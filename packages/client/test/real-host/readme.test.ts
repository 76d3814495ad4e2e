import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { transformWithOxc } from "vite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { World } from "../../../../test/story/world.ts";

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const readme = readFileSync(at("../../README.md"), "utf8");
const folder = mkdtempSync(join(tmpdir(), "holdfast-readme-"));
const world = new World();

beforeAll(async () => {
  symlinkSync(at("../../../../node_modules"), join(folder, "node_modules"));
  await world.start();
});
afterAll(async () => {
  await world.stop();
  await world.end();
  rmSync(folder, { recursive: true });
});

/** The example programs of the README, by heading. */
const examples = [...readme.matchAll(/^## (.+)\n+```(tsx?)\n([\s\S]*?)^```$/gm)].map(
  ([, title = "", language = "", code = ""]) => ({ title, language, code }),
);

/** The expected output of each example. */
const prints: Readonly<Record<string, RegExp>> = {
  "Start a session and read the answer": /hello/,
  "Answer questions as they come": /allowing/,
  "Open a session where it stands, and go on from there": /messages up to event \d+\n.*heartbeat/s,
  "Keep a session open": /completed at event \d+ .*<1> <2> .*<20>/s,
  "Do something while the host is away": /\[ 'sending' \].*\[\] false/s,
  "Draw it": /drawn by hooks done/,
};

async function run(name: string, args: readonly string[], expected: RegExp): Promise<string> {
  const env = { HOLDFAST_URL: world.url, HOLDFAST_TOKEN: world.token };
  const flags = ["--conditions=holdfast-source", ...args, join(folder, name)];
  const child = spawn(process.execPath, flags, { env, stdio: ["ignore", "pipe", "pipe"] });
  let printed = "";
  let isEnding = false;
  for (const output of [child.stdout, child.stderr]) {
    output.on("data", (chunk) => {
      printed += String(chunk);
      // A page stays open and is killed; every other program ends by itself.
      isEnding = args.length > 0 && expected.test(printed);
      if (isEnding) child.kill();
    });
  }
  const [code] = await new Promise<[number | null]>((resolve) =>
    child.on("close", (exit: number | null) => resolve([exit])),
  );
  expect(isEnding ? 0 : code, printed).toBe(0);
  return printed;
}

test("every example of the README has an expected output", () => {
  expect(examples.map(({ title }) => title)).toEqual(Object.keys(prints));
});

test.each(examples)("README: $title", async ({ title, language, code }) => {
  const expected = prints[title] as RegExp;
  const isPage = language === "tsx";
  const name = `${title.replace(/\W+/g, "-")}.${isPage ? "mjs" : "mts"}`;
  const jsx = { runtime: "automatic" } as const;
  const text = isPage ? (await transformWithOxc(code, "page.tsx", { jsx })).code : code;
  writeFileSync(join(folder, name), text);
  const page = isPage ? ["--import", at("../document.mjs")] : [];
  expect(await run(name, page, expected)).toMatch(expected);
});
