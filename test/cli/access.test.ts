import { describe, expect, test } from "vitest";
import { served } from "./served.ts";
import { lines, type RunOptions, run } from "./terminal.ts";

const cli = served();
const { data, at, holdfast, json, session } = cli;

test("flags may stand first, and the version is told", async () => {
  const first = await run(["--json", "--data", data, "ls"]);
  expect([first.code, lines(first.stdout)]).toMatchObject([0, [{ sessions: expect.anything() }]]);
  for (const flag of ["--version", "-v"]) {
    const { code, stdout, stderr } = await run([flag]);
    expect([code, stdout, stderr]).toEqual([0, expect.stringMatching(/^\d+\.\d+\.\d+\n$/), ""]);
  }
  expect((await run(["--help"])).stdout).toContain("holdfast --version");
});

describe("access", () => {
  test("a key opens what its scopes allow, until it is revoked", async () => {
    const made = await holdfast("keys", "create", "ci", "--scopes", "read");
    const secret = made.stdout.trim();
    expect([made.code, made.stderr.includes(secret)]).toEqual([0, false]);
    const as = (...args: string[]) => {
      const options: RunOptions = { env: { HOLDFAST_TOKEN: secret } };
      return run([...args, "--url", cli.host.ready.url, "--json"], options);
    };
    expect((await as("ls")).code).toBe(0);
    const forbidden = await as("run", "/say no");
    expect([forbidden.code, lines(forbidden.stdout)]).toMatchObject([
      1,
      [{ error: { code: "forbidden" } }],
    ]);
    const id = /key (key_\w+)/.exec(made.stderr)?.[1] ?? "";
    expect((await holdfast("keys", "revoke", "ci")).stderr).toContain(`revoked: ci (${id})`);
    const past = await holdfast("keys", "create", "ci", "--expires", "yesterday");
    expect([past.code, past.stderr]).toEqual([
      2,
      expect.stringContaining("--expires takes a time"),
    ]);
    const revoked = await as("ls");
    expect([revoked.code, lines(revoked.stdout)]).toMatchObject([
      1,
      [{ error: { code: "unauthorized" } }],
    ]);
  });

  test("a refused HOLDFAST_TOKEN is named", async () => {
    const { code, stderr } = await run(at("ls"), { env: { HOLDFAST_TOKEN: "wrong" } });
    expect([code, stderr]).toEqual([1, expect.stringContaining("came from HOLDFAST_TOKEN")]);
  });

  test("the host's own token goes to no other machine", async () => {
    const { code, stdout } = await run(at("ls", "--json", "--url", "http://holdfast.invalid:4860"));
    expect([code, lines(stdout)]).toMatchObject([1, [{ error: { code: "no_token" } }]]);
  });

  test("a link is printed alone, so that it can be piped", async () => {
    const { code, stdout, stderr } = await holdfast("link");
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/\S+\n$/),
    ]);
    expect(stderr).toContain("only a browser on this machine can open this link");
  });

  test("a link for a session leads the device that it lets in to that one", async () => {
    const id = await session("/say linked");
    const login = async (link: string) => {
      const code = new URLSearchParams(new URL(link).hash.slice(1)).get("link");
      const response = await fetch(`${cli.host.ready.url}/api/login`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ code }),
      });
      return (await response.json()) as { session: string | null };
    };
    for (const word of [id, id.slice(0, 30), "latest"]) {
      const { code, stdout, stderr } = await holdfast("link", word);
      expect([code, stderr.includes(`signs the browser in and opens ${id}`)]).toEqual([0, true]);
      expect((await login(stdout.trim())).session).toBe(id);
    }
    expect((await login((await holdfast("link")).stdout.trim())).session).toBeNull();
    expect((await holdfast("link", `sess_${"0".repeat(32)}`)).code).toBe(3);
  });

  test("agents are listed", async () => {
    const [{ agents }] = (await json("agents")) as [{ agents: { name: string }[] }];
    expect(agents.map(({ name }) => name)).toContain("demo");
  });

  test("an unknown agent cannot be checked, as it cannot be run", async () => {
    const { code, stderr } = await holdfast("agents", "check", "nope");
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/^holdfast: This host has no agent "nope"\. Ready: .*demo/),
    ]);
    expect(stderr).toContain("If you changed config.json, restart the host.");
  });
});
