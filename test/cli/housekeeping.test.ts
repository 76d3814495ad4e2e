import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { bin } from "../host/process.ts";
import { served } from "./served.ts";
import { hasTerminal, lines, run, startInTerminal } from "./terminal.ts";

const cli = served();
const { data, holdfast, json, session } = cli;
const project = join(cli.folder, "project");

// The host reads its configuration when it starts, which is before the first test.
mkdirSync(data, { mode: 0o700 });
const mine = { command: ["/bin/false"] };
writeFileSync(join(data, "config.json"), JSON.stringify({ agents: { mine } }));
mkdirSync(project);
const git = (...args: string[]) => execFileSync("git", ["-C", project, ...args]);
git("init", "-q", "-b", "main");
writeFileSync(join(project, "a.txt"), "one\n");
writeFileSync(join(project, "same.txt"), "same\n");
git("add", ".");
git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "first");
writeFileSync(join(project, "a.txt"), "two\n");

async function until(sessionId: string, word: string): Promise<void> {
  const wordOf = async () =>
    (await cli.client.call("getSession", { params: { sessionId } })).session.word as string;
  await expect.poll(wordOf, { timeout: 20_000 }).toBe(word);
}

describe("holdfast run", () => {
  test("works in the folder it is started in, and a start that fails is failed everywhere", async () => {
    const env = { PWD: project };
    const said = await run(["run", "--agent", "mine", "/say hi", "--data", data], {
      env,
      cwd: project,
    });
    expect([said.code, said.stderr.split("\n")[0]]).toEqual([
      ...[1, `· mine works in ${project}, not isolated: it can read and change everything you can`],
    ]);
    const [made] = (await cli.client.call("listSessions", { query: {} })).sessions;
    expect(made).toMatchObject({
      word: "failed",
      workspace: { kind: "in-place", path: project },
    });
    const id = made?.id ?? "";
    expect((await holdfast("ls")).stdout).toMatch(/^✗ failed /m);
    const shown = await holdfast("show", id);
    expect(shown.stdout).toMatch(/^✗ failed {2}/);
    expect(shown.stdout).toContain(`workspace ${project}`);
    expect((await holdfast("session", "dismiss", id)).stderr).toContain("dismissed: ");
    await until(id, "dismissed");
  });

  test("refuses a missing folder and its own data directory with a clear error, and starts no session", async () => {
    const before = (await cli.client.call("listSessions", { query: {} })).sessions.length;
    const missing = await holdfast("run", "--workspace", "/nosuch", "hi");
    expect([missing.code, missing.stderr]).toEqual([
      ...[2, "holdfast: There is no folder /nosuch. Create it first, or name another folder.\n"],
    ]);
    const inside = await holdfast("run", "--workspace", data, "hi");
    expect([inside.code, inside.stderr]).toEqual([2, expect.stringContaining("data directory")]);
    expect((await cli.client.call("listSessions", { query: {} })).sessions).toHaveLength(before);
  });

  test("takes a policy for the session, and names what there is for one that there is not", async () => {
    const [made] = await json("run", "--no-follow", "/say hi", "--policy", "idlePause=60000");
    expect(made).toMatchObject({ session: { policy: { idlePause: 60_000 } } });
    const wrong = await holdfast("run", "/say hi", "--policy", "nope=1");
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("idlePause")]);
  });

  test("says in human words what is wrong with a message", async () => {
    const { code, stderr } = await holdfast("run", " ");
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/holdfast: The message is empty\.\n$/),
    ]);
    const input = "x".repeat(2 ** 20 + 1);
    const long = await run(["run", "-", "--data", data], { input });
    expect([long.code, long.stderr]).toEqual([
      ...[2, "holdfast: The message is too long: at most 1 MB.\n"],
    ]);
    const untitled = await holdfast("run", "--title", " ", "/say hi");
    expect([untitled.code, untitled.stderr]).toEqual([2, "holdfast: The title is empty.\n"]);
    const title = await holdfast("run", "--title", "x".repeat(10_000), "/say hi");
    expect([title.code, title.stderr]).toEqual([
      2,
      expect.stringMatching(/^holdfast: The title is too long: at most \d+ characters\.\n$/),
    ]);
  });

  test("says where an agent works only once the host has accepted it", async () => {
    const { code, stderr } = await holdfast("run", "--scratch", "--agent", "nosuch", "hi");
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/^holdfast: This host has no agent "nosuch"\./),
    ]);
  });
});

describe("a session", () => {
  test("is renamed, and deleted only when somebody means it", async () => {
    const id = await session("/say one");
    await until(id, "done");
    const renamed = await holdfast("session", "rename", id, "Another", "name");
    expect([renamed.code, renamed.stderr]).toEqual([
      0,
      `holdfast: renamed: Another name (${id})\n`,
    ]);
    const unsure = await holdfast("session", "delete", id);
    expect([unsure.code, unsure.stderr]).toEqual([2, expect.stringContaining("add --yes")]);
    await until(id, "done");
    const deleted = await holdfast("session", "delete", id, "--yes");
    expect([deleted.code, deleted.stderr]).toEqual([0, expect.stringContaining("Another name")]);
    expect(deleted.stderr).toContain(`It left the list, and can be read as ${id} until`);
    const listed = await holdfast("ls", "--json");
    expect([listed.code, listed.stdout.includes(id)]).toEqual([0, false]);
    const shown = await holdfast("show", id);
    expect([shown.code, shown.stdout]).toEqual([0, expect.stringContaining("one")]);
  });

  test.skipIf(!hasTerminal)("is not ended by a slip on a terminal", async () => {
    const id = await session("/say one");
    await until(id, "done");
    const asked = startInTerminal(["session", "end", id, "--data", data]);
    await asked.says("[y/N]", "stdout");
    asked.child.stdin?.write("\r");
    expect(await asked.ended()).toBe(4);
    await until(id, "done");
  });

  test("is tried again after it failed", async () => {
    const id = await session("/fail");
    await until(id, "failed");
    const { code, stderr } = await holdfast("session", "retry", id);
    expect([code, stderr]).toEqual([1, expect.stringContaining("✗ failed")]);
    const runs = await cli.client.call("listRuns", { params: { sessionId: id }, query: {} });
    expect(runs.runs).toHaveLength(2);
  });

  test("is not offered to be tried again without the person's own folder", async () => {
    const path = join(cli.folder, "own");
    mkdirSync(path);
    const made = await holdfast("run", "--no-follow", "/fail", "--workspace", path);
    const id = made.stdout.trim();
    await until(id, "failed");
    expect((await holdfast("show", id)).stdout).toContain("session retry");
    rmSync(path, { recursive: true });
    const { stdout } = await holdfast("show", id);
    expect(stdout).toContain(`The folder ${path} is missing.`);
    expect(stdout).not.toContain("session retry");
  });

  test.skipIf(!hasTerminal)("shows what is approved and asks, on a terminal", async () => {
    const id = await session("/ask");
    await until(id, "waiting");
    const { stdout } = await holdfast("show", id);
    const [, named = ""] = new RegExp(`approve ${id} (appr_\\w+) --data`).exec(stdout) ?? [];
    expect(named).not.toBe("");
    const unsure = startInTerminal(["approve", id, named, "--data", data]);
    await unsure.says("[y/N]", "stdout");
    expect(unsure.stdout).toContain('{"n":1}');
    unsure.child.stdin?.write("n\r");
    expect(await unsure.ended()).toBe(4);
    const sure = startInTerminal(["approve", "--always", id, named, "--data", data]);
    await sure.says("[y/N]", "stdout");
    sure.child.stdin?.write("y\r");
    expect(await sure.ended()).toBe(0);
    await until(id, "done");
  });

  test("is answered as latest, whichever session changed last, only while no other one waits", async () => {
    const ids: string[] = [];
    for (const title of ["First question", "Second question"]) {
      const body = { agent: "demo", message: "/ask", title };
      const { session: made } = await cli.client.call("createSession", { body });
      await until(made.id, "waiting");
      ids.push(made.id);
    }
    for (const args of [["approve", "--yes"], ["approve", "--json"], ["deny"]]) {
      const { code, stderr } = await holdfast(...args, "latest");
      expect([args, code, stderr]).toEqual([
        ...[args, 2],
        expect.stringMatching(/Several sessions wait .*(First|Second) question.* question/),
      ]);
    }
    expect((await holdfast("deny", ids[0] ?? "")).code).toBe(0);
    // The first session changed last; the second one is the only one that waits.
    await until(ids[0] ?? "", "done");
    expect((await holdfast("deny", "latest")).code).toBe(0);
    await until(ids[1] ?? "", "done");
  });

  test("has rules that can be seen and taken back", async () => {
    const id = await session("/ask");
    await until(id, "waiting");
    expect((await holdfast("approve", "--always", "--yes", id)).code).toBe(0);
    await until(id, "done");
    const [{ rules }] = (await json("rules", "ls", id)) as [{ rules: { id: string }[] }];
    expect(rules).toHaveLength(1);
    const revoked = await holdfast("rules", "revoke", id, rules[0]?.id ?? "");
    expect([revoked.code, revoked.stderr]).toEqual([0, expect.stringContaining("asks again for")]);
    expect((await holdfast("rules", "ls", id)).stderr).toBe(
      "holdfast: this session has no rules; the agent decides what to ask for\n",
    );
  });

  test("shows what changed in its workspace, and its files", async () => {
    const body = {
      agent: "demo",
      message: "/say hi",
      workspace: { kind: "in-place", path: project },
    };
    const { session: made } = await cli.client.call("createSession", { body: body as never });
    const id = made.id;
    expect((await holdfast("workspace", "status", id)).stdout).toMatch(
      /^main, [0-9a-f]{12}\n {2}.*a\.txt/,
    );
    expect((await holdfast("workspace", "diff", id)).stdout).toMatch(/^-one\n\+two$/m);
    const missing = await holdfast("workspace", "diff", id, "nope");
    expect([missing.code, missing.stderr]).toEqual([3, expect.stringContaining("no such file")]);
    const same = await holdfast("workspace", "diff", id, "same.txt");
    expect([same.code, same.stderr]).toEqual([0, "holdfast: nothing changed\n"]);
    expect((await holdfast("workspace", "files", id)).stdout).toContain("a.txt");
    expect((await holdfast("workspace", "files", id, "a.txt")).stdout).toBe("two\n");
    expect((await holdfast("workspace", "files", id, "nope")).code).toBe(3);
    for (const path of ["..", "a/../../b", "/etc"]) {
      const outside = await holdfast("workspace", "files", id, path);
      const said = `holdfast: "${path}" is outside the workspace. Name a path inside the workspace, such as src/main.ts.\n`;
      expect([outside.code, outside.stderr]).toEqual([2, said]);
    }
    expect((await holdfast("workspace", "files", id, "./a.txt")).stdout).toBe("two\n");
    expect((await holdfast("workspace", "files", id, "./")).stdout).toContain("a.txt");
  });
});

const canBecomeNobody =
  process.getuid?.() === 0 && spawnSync("setpriv", ["--version"]).status === 0;

test.skipIf(!canBecomeNobody)("doctor tells an ordinary user what it cannot promise them", () => {
  const nobody = ["--reuid=65534", "--regid=65534", "--clear-groups"];
  const examined = (data: string, TMPDIR = tmpdir()) => {
    const doctor = [process.execPath, bin, "doctor", "--json", "--data", data];
    const env = { ...process.env, TMPDIR };
    const { stdout } = spawnSync("setpriv", [...nobody, ...doctor], { encoding: "utf8", env });
    return lines(stdout);
  };
  expect(examined(join(tmpdir(), "nothing"))).toMatchObject([
    {
      checks: expect.arrayContaining([
        expect.objectContaining({ name: "processes", level: "note" }),
        expect.objectContaining({ name: "isolation", level: "note" }),
      ]),
    },
  ]);
  const closed = join(tmpdir(), "closed");
  mkdirSync(closed, { mode: 0o700 });
  const data = join(closed, "data");
  const found = `you may not open ${data}`;
  expect(examined(data, closed)).toMatchObject([
    { checks: expect.arrayContaining([expect.objectContaining({ level: "bad", found })]) },
  ]);
});
