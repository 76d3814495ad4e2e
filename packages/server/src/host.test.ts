import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterAll, expect, test } from "vitest";
import { type HostOptions, wireHost } from "./host.ts";
import { done, scriptedAgent } from "./testing/scripted-agent.ts";

const parent = mkdtempSync(join(tmpdir(), "holdfast-host-"));
const data = join(parent, "data");
const agent = (name: string) => scriptedAgent(name, () => [done()]);

afterAll(() => rmSync(parent, { recursive: true }));

test.each([
  ["no data", {}],
  ["empty data", { data: "" }],
  ["data that is no string", { data: 7 }],
  ["data that no path can be", { data: "a\0b" }],
  ["two agents of one name", { data, agents: [agent("demo"), agent("demo")] }],
  ["an agent without a name", { data, agents: [agent("")] }],
])("%s is refused before anything is opened", async (_, options) => {
  const opened = wireHost(options as unknown as HostOptions);
  await expect(opened).rejects.toMatchObject({ name: "HostError", code: "bad_input" });
  expect(existsSync(data)).toBe(false);
});

test("a relative path is one from here", async () => {
  const host = await wireHost({ data: relative(process.cwd(), join(parent, "near", "data")) });
  await host.close();
  expect(existsSync(join(parent, "near", "data", "journal.db"))).toBe(true);
});
