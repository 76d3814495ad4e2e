import { beforeAll, describe, expect, test } from "vitest";
import { hostile, isRaw } from "../../packages/cli/test/hostile.ts";
import { own, served } from "./served.ts";
import { hasTerminal, lines, run, startInTerminal } from "./terminal.ts";

const { data, at, holdfast, json, session, idle } = served();

test("what an agent or a title says reaches no terminal raw [P41]", async () => {
  const text = hostile.filter((one) => !one.includes("\0")).join(" ");
  const id = await session(`/say ${text}`);
  await idle(id);
  for (const args of [
    ["ls"],
    ["ls", "--json"],
    ["show", id],
    ["show", id, "--json"],
    ["logs", id],
  ]) {
    const { code, stdout, stderr } = await holdfast(...args);
    expect([args, code, isRaw(stdout), isRaw(stderr)]).toEqual([args, 0, false, false]);
  }
  const word = hostile.filter((one) => !one.includes("\0")).join("");
  for (const args of [["show", word], [word], ["ls", "--status", word], ["show", word, "--json"]]) {
    const { code, stdout, stderr } = await run(at(...args));
    expect([isRaw(stdout), isRaw(stderr), code > 0]).toEqual([false, false, true]);
  }
});

describe("what is too long for an event", () => {
  const text = `/count=1 ${hostile.filter((one) => !/[\0\ud800-\udfff]/.test(one)).join(" ")}`;
  const long = text + " and on".repeat(30_000);
  let id = "";
  let hash = "";

  beforeAll(async () => {
    const followed = await run(at("run", "-"), { input: long });
    id = /sess_[0-9a-f]{32}/.exec(followed.stderr)?.[0] ?? "";
    const shown = await holdfast("show", id);
    hash = /holdfast show sess_\w+ --blob ([0-9a-f]{64})/.exec(shown.stdout)?.[1] ?? "";
    expect(shown.stdout).toContain(
      `show all 211 KB: ${own} show ${id} --blob ${hash} --data ${data}`,
    );
  });

  test("comes whole and as it is into a pipe", async () => {
    const piped = await run(at("show", id, "--blob", hash));
    expect([piped.code, piped.stdout === long]).toEqual([0, true]);
    const [value] = await json("show", id, "--blob", hash);
    expect(value).toEqual({ hash, bytes: Buffer.byteLength(long), text: long });
  });

  test.skipIf(!hasTerminal)("is made visible on a terminal [P41]", async () => {
    const shown = startInTerminal(at("show", id, "--blob", hash));
    expect(await shown.ended()).toBe(0);
    // A terminal's own lines end in CR LF.
    expect(isRaw(shown.stdout.replaceAll("\r\n", "\n"))).toBe(false);
    expect(shown.stdout).toContain("\u241b[31m");
    expect(shown.stdout.trimEnd().endsWith("and on")).toBe(true);
  });

  test("that is said at once is told of while it happens, and its hash leads to it", async () => {
    const said = await holdfast("run", "/bigline=300000");
    const [, session = "", found = ""] =
      /show all \S+ KB: \S+holdfast show (sess_\w+) --blob ([0-9a-f]{64})/.exec(said.stderr) ?? [];
    const piped = await holdfast("show", session, "--blob", found);
    expect(piped.stdout.length).toBeGreaterThan(300_000);
  });

  test("is found only by its own hash, and a request without a hash is refused", async () => {
    const missing = await holdfast("show", id, "--blob", "0".repeat(64), "--json");
    expect([missing.code, lines(missing.stdout)]).toMatchObject([
      3,
      [{ error: { code: "not_found" } }],
    ]);
    for (const word of ["", "x", `${hash}/..`]) {
      expect((await holdfast("show", id, "--blob", word)).code).toBe(2);
    }
  });
});
