import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { probeBubblewrap } from "./probe.ts";

const run = fileURLToPath(new URL("./testing/escape-run.ts", import.meta.url));
const secret = "canary-5f3c9a2e17";
const probe = await probeBubblewrap("/home/none");

/** An ordinary user, with a /proc that shows their own processes on every machine. */
const asUser = [
  ...["unshare", "--mount", "--pid", "--fork", "--mount-proc", "--kill-child"],
  ...["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"],
];
const isRoot = process.getuid?.() === 0;
const canBeUser = isRoot && ran([...asUser, process.execPath, "--version"]).status === 0;

function ran(words: readonly string[]) {
  const [command = "", ...args] = words;
  // The temporary folder of a test run belongs to the user who started it.
  const env = { PATH: "/usr/bin:/bin:/usr/sbin:/sbin", TMPDIR: "/tmp" };
  return spawnSync(command, args, { encoding: "utf8", cwd: "/", env });
}

function attempts(provider: string, wrap: readonly string[]) {
  const node = [process.execPath, "--conditions=holdfast-source", run, provider, secret];
  const { stdout, stderr } = ran([...wrap, ...node]);
  if (!stdout.startsWith("{")) throw new Error(`${stdout}${stderr}`);
  return JSON.parse(stdout) as { attempted: string[]; succeeded: string[] };
}

const users = [
  ...[{ name: isRoot ? "root" : "an ordinary user", wrap: [] as string[] }],
  ...(canBeUser ? [{ name: "an ordinary user", wrap: asUser }] : []),
];

describe.skipIf(!probe.holds).each(users)("under a host of $name", ({ wrap }) => {
  test("every attempt to leave succeeds without a boundary, so that it can fail", () => {
    const { attempted, succeeded } = attempts("process", wrap);
    expect(attempted.filter((name) => !succeeded.includes(name))).toEqual([]);
    expect(attempted.length).toBeGreaterThanOrEqual(40);
  });

  test.each([
    ["bubblewrap", "as for every session"],
    ...(isRoot && wrap.length === 0
      ? [["same-user", "where a workspace in place keeps its user"]]
      : []),
  ])("no attempt to leave succeeds (%s), %s", (provider) => {
    const { attempted, succeeded } = attempts(provider ?? "", wrap);
    expect(succeeded).toEqual([]);
    expect(attempted.length).toBeGreaterThanOrEqual(40);
  });
});
