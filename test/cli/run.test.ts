import { describe, expect, test } from "vitest";
import { served } from "./served.ts";
import { lines, run, start } from "./terminal.ts";

const cli = served();
const { at, holdfast, json, idle } = cli;

describe("holdfast run", () => {
  test("follows to the outcome: the answer on stdout, all else on stderr", async () => {
    const { code, stdout, stderr } = await holdfast("run", "/say", "one two three");
    expect([code, stdout.trim()]).toEqual([0, "one two three"]);
    const first =
      "· demo works in a new folder, not isolated: it can read and change everything you can";
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

  test("with --no-follow prints the session's id alone, and leaves it at work", async () => {
    const { code, stdout, stderr } = await holdfast("run", "--no-follow", "/say later");
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^· demo works in .*\n$/)]);
    expect(stdout).toMatch(/^sess_[0-9a-f]{32}\n$/);
    await idle(stdout.trim());
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

  test("fails for a model that cannot be chosen, and names the agent", async () => {
    const { code, stderr } = await holdfast("run", "--model", "big", "/say hello");
    expect(code).toBe(1);
    expect(stderr).toContain('The agent "demo" offers no choice of models, so it cannot use "big"');
  });

  test("exits with 4 when the run waits for an answer without a terminal, and says how to answer", async () => {
    const { code, stderr } = await holdfast("run", "/ask");
    expect(code).toBe(4);
    const [, id, approval] = /holdfast approve (sess_\w+) (appr_\w+)/.exec(stderr) ?? [];
    const [, title = ""] = /\? needs you: (.+)\n {4}[{"]/.exec(stderr) ?? [];
    expect(title).not.toBe("");
    const call = { params: { sessionId: id ?? "" } };
    const { session } = await cli.client.call("getSession", call);
    expect(session.happening).toMatchObject({ kind: "asks", text: `${title} n: 1` });
    for (const always of [[], ["--always"]]) {
      const unasked = await holdfast("approve", ...always, id ?? "", approval ?? "");
      expect([unasked.code, unasked.stderr]).toEqual([
        2,
        expect.stringMatching(
          /^\? needs you: .*"n":1.*\? This needs a confirmation: add --yes\.\n$/s,
        ),
      ]);
    }
    const answered = await holdfast("approve", "--yes", id ?? "", approval ?? "");
    expect([answered.code, answered.stderr]).toEqual([0, expect.stringContaining("allowed once")]);
    await idle(id ?? "");
    const again = await holdfast("approve", id ?? "");
    expect([again.code, again.stderr]).toEqual([
      1,
      expect.stringContaining("has no open question"),
    ]);
    const decided = (await json("logs", id ?? "")).filter(
      ({ kind }) => kind === "approval.decided",
    );
    expect(decided).toMatchObject([{ approvalId: approval, decision: "allow" }]);
  });

  test("stays until what was queued behind it is done, too", async () => {
    const running = start(at("run", "/slow=100 /count=30"));
    await running.says("<1>", "stdout");
    const sessionId = /sess_[0-9a-f]{32}/.exec(running.stderr)?.[0] ?? "";
    const body = { content: "/say queued words" };
    const { queued } = await cli.client.call("sendMessage", { params: { sessionId }, body });
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
    expect(running.stderr).toContain("detached. To attach again: ");
    const id = /again: \S+holdfast attach (sess_\w+)/.exec(running.stderr)?.[1] ?? "";
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
