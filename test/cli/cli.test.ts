import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createClient } from "@holdfast/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hostile, isRaw } from "../../packages/cli/test/hostile.ts";
import { type HostProcess, startHost } from "../host/process.ts";
import { hasTerminal, lines, type RunOptions, run, start, startInTerminal } from "./terminal.ts";

const folder = mkdtempSync(join(tmpdir(), "holdfast-cli-"));
const data = join(folder, "data");
let host: HostProcess;

beforeAll(async () => {
  host = await startHost(data);
});

afterAll(async () => {
  // A run that a failed test left open would go on in its holder, without us, for a day.
  const client = createClient({ url: host.ready.url, token: host.ready.token });
  const { sessions } = await client.call("listSessions", { query: { limit: 200 } });
  for (const { id, lifecycle } of sessions) {
    if (lifecycle !== "ended") await client.call("endSession", { params: { sessionId: id } });
  }
  await host.end("SIGTERM");
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
});

/** How hints name the program where no `holdfast` is on the PATH. */
const own = fileURLToPath(new URL("../../node_modules/.bin/holdfast", import.meta.url));
const at = (...args: string[]): string[] => [...args, "--data", data];
const holdfast = (...args: string[]) => run(at(...args));
const json = async (...args: string[]) => lines((await holdfast(...args, "--json")).stdout);

/** A session that waits for nobody and does nothing. */
async function session(prompt: string): Promise<string> {
  const { stdout, stderr, code } = await holdfast("run", "--no-follow", prompt);
  expect([code, stderr]).toEqual([0, expect.stringMatching(/^· demo works in .*\n$/)]);
  expect(stdout).toMatch(/^sess_[0-9a-f]{32}\n$/);
  return stdout.trim();
}

async function idle(id: string): Promise<void> {
  const isIdle = async () => {
    const [shown] = (await json("show", id)) as [{ session: { status: string } }];
    return shown.session.status;
  };
  await expect.poll(isIdle, { timeout: 20_000 }).toBe("idle");
}

describe("holdfast run", () => {
  test("follows to the outcome: the answer on stdout, all else on stderr", async () => {
    const { code, stdout, stderr } = await holdfast("run", "/say", "one two three");
    expect([code, stdout.trim()]).toEqual([0, "one two three"]);
    const first =
      "· demo works in an empty folder of its own, with all your rights: nothing confines it";
    expect(stderr.split("\n")).toEqual([
      ...[first, expect.stringMatching(/^· sess_[0-9a-f]{32} · /)],
      ...[expect.anything(), ""],
    ]);
    expect(stderr).toContain("✓ done");
  });

  test("with --json is the session, then its events, each once and in order", async () => {
    const { code, stdout } = await holdfast("run", "/count=5", "--json", "--title", "Counting");
    const [created, ...events] = lines(stdout);
    expect(code).toBe(0);
    expect(created).toMatchObject({ session: { title: "Counting" }, run: { outcome: null } });
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, i) => i + 1));
    expect(events.map(({ kind }) => kind)).toContain("run.completed");
  });

  test("takes its prompt from stdin", async () => {
    const { stdout } = await run(at("run", "-"), { input: "/say from a pipe" });
    expect(stdout.trim()).toBe("from a pipe");
  });

  test("fails when the run does, with why", async () => {
    const { code, stderr } = await holdfast("run", "/fail");
    expect(code).toBe(1);
    expect(stderr).toMatch(/✗ failed: /);
  });

  test("fails where a model is asked for that nobody can choose, and names the agent", async () => {
    const { code, stderr } = await holdfast("run", "--model", "big", "/say hello");
    expect(code).toBe(1);
    expect(stderr).toContain('The agent "demo" lets nobody choose its model, so "big"');
  });

  test("leaves with 4 when it waits and nobody is here, and says how to answer", async () => {
    const { code, stderr } = await holdfast("run", "/ask");
    expect(code).toBe(4);
    const [, id, approval] = /holdfast approve (sess_\w+) (appr_\w+)/.exec(stderr) ?? [];
    expect(stderr).toMatch(/\? needs you: .* wants to run with\n {4}[{"]/);
    for (const always of [[], ["--always"]]) {
      const unasked = await holdfast("approve", ...always, id ?? "", approval ?? "");
      expect([unasked.code, unasked.stderr]).toEqual([
        2,
        expect.stringMatching(/\? Nobody can be asked here; say --yes\.\n$/),
      ]);
    }
    const answered = await holdfast("approve", "--yes", id ?? "", approval ?? "");
    expect([answered.code, answered.stderr]).toEqual([0, expect.stringContaining("allowed once")]);
    await idle(id ?? "");
    const again = await holdfast("approve", id ?? "");
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining("does not ask")]);
    const decided = (await json("logs", id ?? "")).filter(
      ({ kind }) => kind === "approval.decided",
    );
    expect(decided).toMatchObject([{ approvalId: approval, decision: "allow" }]);
  });

  test("stays until what was queued behind it is done, too", async () => {
    const running = start(at("run", "/slow=100 /count=30"));
    await running.says("<1>", "stdout");
    const sessionId = /sess_[0-9a-f]{32}/.exec(running.stderr)?.[0] ?? "";
    const client = createClient({ url: host.ready.url, token: host.ready.token });
    const body = { content: "/say queued words" };
    const { queued } = await client.call("sendMessage", { params: { sessionId }, body });
    expect(queued).not.toBeNull();
    expect([await running.ended(), running.stdout]).toEqual([
      ...[0, expect.stringMatching(/<30>.*queued words/s)],
    ]);
  });

  test("leaves a run to itself on Ctrl-C, and says how to come back", async () => {
    const running = start(at("run", "/stall"));
    await running.says("▸");
    running.child.kill("SIGINT");
    expect(await running.ended()).toBe(130);
    const id = /Again: \S+holdfast attach (sess_\w+)/.exec(running.stderr)?.[1] ?? "";
    expect(await json("show", id)).toMatchObject([{ session: { status: "running" } }]);
    const cancelled = await holdfast("cancel", id);
    expect(cancelled.code).toBe(0);
    await idle(id);
    const again = await holdfast("cancel", id);
    expect([again.code, again.stderr]).toEqual([
      0,
      "holdfast: nothing is running; the last run: cancelled\n",
    ]);
    expect(await json("cancel", id)).toMatchObject([
      { success: false, run: { outcome: "cancelled" } },
    ]);
  });
});

describe("holdfast attach", () => {
  test("goes on by itself when the host is killed and comes back elsewhere", async () => {
    const id = await session("/say before");
    await idle(id);
    const attached = start(at("attach", id, "--json"));
    await attached.says("run.completed", "stdout");
    await host.end("SIGKILL");
    await attached.says("host is away");
    host = await startHost(data);
    await attached.says("back");
    expect((await holdfast("send", id, "/say", "after")).code).toBe(0);
    await attached.says("after", "stdout");
    attached.child.kill("SIGINT");
    expect(await attached.ended()).toBe(130);
    const seqs = lines(attached.stdout).map(({ seq }) => seq);
    expect(seqs).toEqual(seqs.map((_, i) => i + 1));
    expect(attached.stderr.match(/host is away/g)).toHaveLength(1);
    expect(attached.stderr.match(/· back/g)).toHaveLength(1);
  });

  test.skipIf(!hasTerminal)("answers by a key and Enter, once, and by no sentence", async () => {
    const id = await session("/ask");
    const attached = startInTerminal(at("attach", id));
    await attached.says("n deny", "stdout");
    // As long as it takes to read it: before that a key is not meant for the question.
    await new Promise((resolve) => setTimeout(resolve, 700));
    attached.child.stdin?.write("actually no, wait\r");
    await attached.says("queued until the run is over", "stdout");
    attached.child.stdin?.write("a\u007f");
    await attached.says("always allow exactly this? Enter to confirm", "stdout");
    attached.child.stdin?.write("y");
    await attached.says("allow once? Enter to confirm", "stdout");
    expect(attached.stdout).not.toContain("allowed once");
    attached.child.stdin?.write("\r\r");
    await attached.says("allowed once", "stdout");
    await attached.says("done", "stdout");
    attached.child.stdin?.write("\u0003");
    expect(await attached.ended()).toBe(130);
    const decided = (await json("logs", id)).filter(({ kind }) => kind === "approval.decided");
    expect(decided).toMatchObject([{ decision: "allow" }]);
  });

  test.skipIf(!hasTerminal)("sends what is typed", async () => {
    const id = await session("/say hello");
    await idle(id);
    const attached = startInTerminal(at("attach", id));
    await attached.says("type to send", "stdout");
    attached.child.stdin?.write("/say typed words\r");
    await attached.says("✓ done", "stdout");
    attached.child.stdin?.write("\u0004");
    expect(await attached.ended()).toBe(0);
    expect(attached.stdout).toContain("typed words");
  });
});

describe("sessions", () => {
  test("are found by the beginning of their id, and as latest", async () => {
    const id = await session("/say found");
    const names = [id, id.slice(0, 30), id.slice(5, 30), "latest"];
    for (const name of names) {
      expect([name, await json("show", name)]).toMatchObject([name, [{ session: { id } }]]);
    }
    const missing = await holdfast("show", "ffff", "--json");
    expect([missing.code, lines(missing.stdout)]).toMatchObject([
      3,
      [{ error: { code: "not_found" } }],
    ]);
    const unknown = `sess_${"0".repeat(32)}`;
    const none = await holdfast("show", unknown, "--json");
    const code = "session_not_found";
    expect([none.code, lines(none.stdout)]).toMatchObject([3, [{ error: { code } }]]);
    expect((await holdfast("show", "sess_")).code).toBe(2);
  });

  test("are listed with those first that need somebody", async () => {
    const waiting = await session("/ask");
    await session("/say later");
    const needsYou = async () => {
      const [{ sessions }] = (await json("ls")) as [{ sessions: { id: string; status: string }[] }];
      return sessions.find(({ status }) => status === "waiting")?.id === waiting
        ? sessions[0]?.status
        : null;
    };
    await expect.poll(needsYou, { timeout: 20_000 }).toBe("waiting");
    const { stdout } = await holdfast("ls");
    expect(stdout.split("\n")[1]).toMatch(/^\? needs you {2}/);
    expect((await holdfast("ls", "--status", "nope")).code).toBe(2);
    const denied = await holdfast("deny", waiting, "--reason", "not today");
    expect([denied.code, denied.stderr]).toEqual([0, expect.stringContaining("denied")]);
    await idle(waiting);
  });

  test("are brought up and then followed [R001-40]", async () => {
    const id = await session("/say first");
    await idle(id);
    expect((await holdfast("session", "pause", id)).code).toBe(0);
    const resumed = await holdfast("session", "resume", id);
    expect([resumed.code, resumed.stderr]).toEqual([0, expect.stringContaining("session is up")]);
    const goneOn = await holdfast("session", "continue", id);
    expect([goneOn.code, goneOn.stderr]).toEqual([
      0,
      expect.stringContaining(`nothing was interrupted; send it something: ${own} send`),
    ]);
    await holdfast("send", id, "/stall");
    const followed = start(at("session", "resume", id, "--json"));
    await followed.says("\n", "stdout");
    expect((await holdfast("cancel", id)).code).toBe(0);
    expect(await followed.ended()).toBe(1);
    expect(lines(followed.stdout)[0]).toMatchObject({ session: { id } });
    expect(followed.stdout).toContain("run.cancelled");
    expect((await holdfast("session", "resume", id, "--no-follow")).code).toBe(0);
    expect((await holdfast("session", "end", id)).code).toBe(0);
    const ended = await holdfast("session", "resume", id, "--json");
    expect([ended.code, lines(ended.stdout)]).toMatchObject([
      1,
      [{ error: { code: "session_ended" } }],
    ]);
  });

  test("say which messages wait, let them go on, or take them back", async () => {
    const id = await session("/stall");
    await holdfast("send", id, "/say one");
    await holdfast("send", id, "/say two");
    const cancelled = await holdfast("cancel", id);
    const how = `2 messages wait; to let go on: ${own} queue ${id} --release --data ${data}`;
    expect([cancelled.code, cancelled.stderr]).toEqual([0, expect.stringContaining(how)]);
    await idle(id);
    expect((await holdfast("show", id)).stdout).toContain(how);
    expect((await holdfast("ls")).stderr).toMatch(
      /2 messages wait; .*holdfast queue \w+ --release/,
    );
    const listed = await holdfast("queue", id);
    expect([listed.code, listed.stdout]).toEqual([
      0,
      expect.stringMatching(/\/say one\n.*\/say two/),
    ]);
    const [{ queue }] = (await json("queue", id)) as [{ queue: { id: string }[] }];
    expect((await holdfast("queue", id, "--drop", queue[1]?.id ?? "")).stderr).toContain(
      "/say two",
    );
    expect((await holdfast("queue", id, "--drop", "msg_ffff")).code).toBe(3);
    expect((await holdfast("queue", id, "--release")).code).toBe(0);
    await idle(id);
    expect((await holdfast("queue", id)).stderr).toBe("holdfast: no message waits\n");
    expect((await holdfast("show", id)).stdout).toContain("one");
  });

  test("have their events as JSON lines, from any place on", async () => {
    const id = await session("/say logged");
    await idle(id);
    const all = await json("logs", id);
    expect(all.map(({ seq }) => seq)).toEqual(all.map((_, i) => i + 1));
    expect(await json("logs", id, "--after", "3")).toEqual(all.slice(3));
    expect(await json("logs", id, "--after", String(all.length))).toEqual([]);
    expect((await holdfast("logs", id, "--after", "99999")).code).not.toBe(0);
  });
});

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
    const { code, stdout, stderr } = await holdfast(...args);
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
      `all 211 KB of it: ${own} show ${id} --blob ${hash} --data ${data}`,
    );
  });

  test("comes whole and as it is into a pipe", async () => {
    const piped = await holdfast("show", id, "--blob", hash);
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
      /all \S+ KB of it: \S+holdfast show (sess_\w+) --blob ([0-9a-f]{64})/.exec(said.stderr) ?? [];
    const piped = await holdfast("show", session, "--blob", found);
    expect(piped.stdout.length).toBeGreaterThan(300_000);
  });

  test("is not found by another hash, and asked for by nothing else than one", async () => {
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
      return run([...args, "--url", host.ready.url, "--json"], options);
    };
    expect((await as("ls")).code).toBe(0);
    const forbidden = await as("run", "/say no");
    expect([forbidden.code, lines(forbidden.stdout)]).toMatchObject([
      1,
      [{ error: { code: "forbidden" } }],
    ]);
    const id = /key (key_\w+)/.exec(made.stderr)?.[1] ?? "";
    expect((await holdfast("keys", "revoke", id)).code).toBe(0);
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
    expect(stderr).toContain("only a browser on this machine can open it");
  });

  test("a link for a session leads the device that it lets in to that one", async () => {
    const id = await session("/say linked");
    const login = async (link: string) => {
      const code = new URLSearchParams(new URL(link).hash.slice(1)).get("link");
      const response = await fetch(`${host.ready.url}/api/login`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ code }),
      });
      return (await response.json()) as { session: string | null };
    };
    for (const word of [id, id.slice(0, 30), "latest"]) {
      const { code, stdout, stderr } = await holdfast("link", word);
      expect([code, stderr.includes(`for ${id}`)]).toEqual([0, true]);
      expect((await login(stdout.trim())).session).toBe(id);
    }
    expect((await login((await holdfast("link")).stdout.trim())).session).toBeNull();
    expect((await holdfast("link", `sess_${"0".repeat(32)}`)).code).toBe(3);
  });

  test("agents are listed", async () => {
    const [{ agents }] = (await json("agents")) as [{ agents: { name: string }[] }];
    expect(agents.map(({ name }) => name)).toContain("demo");
  });

  test("an agent that nobody knows cannot be checked, and is not found", async () => {
    const { code, stderr } = await holdfast("agents", "check", "nope");
    expect([code, stderr]).toEqual([
      3,
      expect.stringMatching(/^holdfast: There is no agent "nope" here\. Ready: .*demo/),
    ]);
    expect(stderr).toContain("config.json is read when the host starts");
  });
});

describe("holdfast stop", () => {
  test("ends the host of its data directory, and no other process", async () => {
    const other = join(folder, "other");
    const second = await startHost(other);
    const file = join(other, "host.json");
    // As if the host had died and its port, or its pid, had gone to somebody else.
    const claims = [
      { url: host.ready.url, pid: process.pid, bootId: second.ready.bootId },
      { url: second.ready.url, pid: process.pid, bootId: second.ready.bootId },
    ];
    for (const claim of claims) {
      writeFileSync(file, JSON.stringify(claim));
      const refused = await run(["stop", "--data", other, "--json"]);
      expect([refused.code, lines(refused.stdout)]).toMatchObject([
        1,
        [{ error: { code: "no_host" } }],
      ]);
    }
    const { url, bootId } = second.ready;
    writeFileSync(file, JSON.stringify({ url, bootId, pid: second.child.pid }));
    const stopped = await run(["stop", "--all", "--data", other, "--json"]);
    expect([stopped.code, lines(stopped.stdout)]).toMatchObject([0, [{ stopped: true, bootId }]]);
    const again = await run(["ls", "--data", other, "--json"]);
    expect([again.code, lines(again.stdout)]).toMatchObject([1, [{ error: { code: "no_host" } }]]);
    expect(again.stderr).toContain(`Start one with: ${own} serve --data ${other}`);
  });

  test("doctor finds a running host, and says what to do without one", async () => {
    const [well] = await json("doctor");
    expect(well).toMatchObject({
      checks: expect.arrayContaining([{ name: "host", level: "good", found: "answers" }]),
    });
    // There is no boundary to be had, and no export: nothing to install would make one.
    expect(well).toMatchObject({
      checks: expect.arrayContaining([
        expect.objectContaining({ name: "boundary", level: "note" }),
      ]),
    });
    expect(JSON.stringify(well)).not.toMatch(/bwrap|bubblewrap|export/);
    const { stdout } = await run(["doctor", "--data", join(folder, "nothing"), "--json"]);
    const host = { name: "host", level: "note", found: "not running" };
    expect(lines(stdout)).toMatchObject([
      { checks: expect.arrayContaining([expect.objectContaining(host)]) },
    ]);
  });
});
