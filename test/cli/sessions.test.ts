import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { own, served } from "./served.ts";
import { lines, start } from "./terminal.ts";

const cli = served();
const { data, at, holdfast, json, session, idle } = cli;

const send = (sessionId: string, content: string) =>
  cli.client.call("sendMessage", { params: { sessionId }, body: { content } });

describe("sessions", () => {
  test("are found by the beginning of their id, by the short id of a list, and as latest", async () => {
    await idle(await session("/say earlier"));
    const id = await session("/say found");
    const listed = (await holdfast("ls", "--q", "found")).stdout.trim().split(" ").at(-1) ?? "";
    const names = [id, id.slice(0, 30), id.slice(5, 30), listed, "latest"];
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
    expect((await holdfast("show", "sess_0")).code).toBe(2);
  });

  test("are listed with those first that need somebody", async () => {
    const waiting = await session("/ask");
    await session("/say later");
    const status = async () =>
      (await cli.client.call("getSession", { params: { sessionId: waiting } })).session.status;
    await expect.poll(status, { timeout: 20_000 }).toBe("waiting");
    const [{ sessions }] = (await json("ls")) as [{ sessions: { id: string; status: string }[] }];
    expect(sessions[0]).toMatchObject({ id: waiting, status: "waiting" });
    const { stdout } = await holdfast("ls");
    expect(stdout.split("\n")[1]).toMatch(/^\? needs you {2}/);
    expect((await holdfast("ls", "--q", "zzz")).stderr).toBe("holdfast: no session matches\n");
    const nope = await holdfast("ls", "--status", "nope");
    expect([nope.code, nope.stderr]).toEqual([2, expect.stringMatching(/needs you.*done.*idle/)]);
    for (const word of ["needs you", "needs-you", "waiting"]) {
      const [found] = await json("ls", "--status", word);
      expect(found).toMatchObject({ sessions: [{ id: waiting }] });
    }
    const [working] = await json("ls", "--status", "working");
    expect(JSON.stringify(working)).not.toContain(waiting);
    const paused = await holdfast("session", "pause", waiting);
    expect([paused.code, paused.stderr]).toEqual([0, expect.stringMatching(/^holdfast: paused: /)]);
    const denied = await holdfast("deny", waiting, "--reason", "not today");
    expect([denied.code, denied.stderr]).toEqual([0, expect.stringContaining("denied")]);
    await idle(waiting);
  });

  test("say that the folder of a live agent is gone, and a resume makes it anew", async () => {
    const id = await session("/say first");
    await idle(id);
    rmSync(join(data, "workspaces", id), { recursive: true });
    const { stdout } = await holdfast("show", id);
    expect(stdout).toMatch(
      / trouble +The agent's folder is missing from the data directory .*, or resume: /,
    );
    expect(stdout).toContain(`session resume ${id}`);
    const attached = start(at("attach", id));
    await attached.says("✗ The agent's folder is missing from the data directory");
    attached.child.kill("SIGINT");
    expect(await attached.ended()).toBe(130);
    const resumed = await holdfast("session", "resume", id);
    expect([resumed.code, resumed.stderr]).toEqual([
      0,
      expect.stringMatching(
        /· The session's folder was lost\. Agent restarted[\s\S]*lost: the workspace: the agent's folder was gone/,
      ),
    ]);
    expect((await holdfast("show", id)).stdout).not.toContain(" trouble ");
  });

  test("are brought up and then followed [R001-40]", async () => {
    const id = await session("/say first");
    await idle(id);
    expect((await holdfast("session", "pause", id)).code).toBe(0);
    const resumed = await holdfast("session", "resume", id);
    expect([resumed.code, resumed.stderr]).toEqual([
      0,
      expect.stringContaining("the agent is running"),
    ]);
    const goneOn = await holdfast("session", "continue", id);
    expect([goneOn.code, goneOn.stderr]).toEqual([
      0,
      expect.stringContaining(`no interrupted work is left; to send a message: ${own} send`),
    ]);
    await send(id, "/stall");
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

  test("say once that their agent was restarted, when interrupted work goes on", async () => {
    const id = await session("/stall");
    const params = { sessionId: id };
    const word = async () => (await cli.client.call("getSession", { params })).session.word;
    await expect
      .poll(() => holdfast("show", id), { timeout: 20_000 })
      .toMatchObject({
        stdout: expect.stringContaining("▸"),
      });
    await cli.client.call("breakSession", { params, body: { what: "holder" } });
    await expect.poll(word, { timeout: 20_000 }).toBe("interrupted");
    const following = start(at("session", "continue", id));
    await following.says("▸");
    following.child.kill("SIGINT");
    expect(await following.ended()).toBe(130);
    expect(following.stderr.match(/restarted/gi)).toHaveLength(1);
    expect((await holdfast("cancel", id)).code).toBe(0);
    await idle(id);
  });

  test("offer no interrupted work once they have ended", async () => {
    const id = await session("/stall");
    const params = { sessionId: id };
    const shown = async () => (await holdfast("show", id)).stdout;
    await expect.poll(shown, { timeout: 20_000 }).toContain("▸");
    await cli.client.call("breakSession", { params, body: { what: "holder" } });
    await expect.poll(shown, { timeout: 20_000 }).toContain(" next ");
    await cli.client.call("endSession", { params });
    expect(await shown()).not.toContain(" next ");
    const dismissed = await holdfast("session", "dismiss", id);
    expect([dismissed.code, dismissed.stderr]).toEqual([
      1,
      expect.stringContaining("it can be read, but not changed"),
    ]);
  });

  test("say how interrupted work is continued, and that a message dismisses it", async () => {
    const id = await session("/stall");
    await send(id, "/say waits");
    const attached = start(at("attach", id));
    await attached.says("▸");
    await cli.client.call("breakSession", { params: { sessionId: id }, body: { what: "holder" } });
    const words = [
      `to continue: ${own} session continue ${id} --data ${data}`,
      "sending a message dismisses the interrupted work; a new one goes before those that wait",
      `1 message waits; to send: ${own} queue ${id} --release --data ${data} (dismisses the`,
    ];
    await attached.says(words[2] ?? "");
    attached.child.kill("SIGINT");
    expect(await attached.ended()).toBe(130);
    const opened = start(at("attach", id));
    await opened.says(words[2] ?? "");
    opened.child.kill("SIGINT");
    await opened.ended();
    const resumed = await holdfast("session", "resume", id);
    for (const stderr of [attached.stderr, opened.stderr, resumed.stderr]) {
      for (const line of words) expect(stderr).toContain(line);
    }
    const sent = await holdfast("send", id, "/say instead");
    expect(sent.stderr).toContain("sent; the interrupted work is dismissed;");
    await idle(id);
    const texts = (await json("logs", id)).filter(({ kind }) => kind === "message.user");
    expect(texts.map(({ content }) => content)).toEqual(["/stall", "/say instead", "/say waits"]);
  });

  test("say which messages wait, let them go on, or take them back", async () => {
    const id = await session("/stall");
    await send(id, "/say one");
    await send(id, "/say two");
    const cancelled = await holdfast("cancel", id);
    const how = `2 messages wait; to send: ${own} queue ${id} --release --data ${data}`;
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
    expect((await holdfast("queue", id)).stderr).toBe("holdfast: no messages are waiting\n");
    expect((await holdfast("show", id)).stdout).toContain("one");
  });

  test("end only on confirmation while messages are queued, and show them as never sent", async () => {
    const id = await session("/stall");
    await send(id, "/say one");
    const unsure = await holdfast("session", "end", id);
    expect([unsure.code, unsure.stderr]).toEqual([
      2,
      expect.stringMatching(/1 queued message will not be sent.*: “\/say one”\. .*add --yes/),
    ]);
    const attached = start(at("attach", id));
    await attached.says("› /stall");
    const [ended] = await json("session", "end", id, "--yes");
    expect(ended).toMatchObject({
      session: { lifecycle: "ended" },
      neverSent: [{ content: "/say one" }],
    });
    expect(await attached.ended()).toBe(0);
    expect(attached.stderr).toMatch(/the session has ended\n.*1 message was never sent: .* show /);
    expect((await holdfast("show", id)).stdout).toMatch(/^✗ never sent:\n› \/say one$/m);
    expect((await holdfast("queue", id)).stderr).toContain("1 message was never sent");
    expect((await holdfast("queue", id, "--drop", "msg_01")).code).toBe(1);
    const sent = await holdfast("send", id, "more");
    expect([sent.code, sent.stderr]).toEqual([
      1,
      expect.stringContaining("The session has ended: it can be read, but not changed."),
    ]);
    const said = async (...args: string[]) => {
      const { code, stderr } = await holdfast("session", ...args);
      return `${code} ${stderr}`;
    };
    expect(await said("end", id)).toMatch(/^0 .*this session had already ended: /);
    expect(await said("delete", id)).toMatch(
      /^2 .*\? It leaves the list, .*its whole id\. .*--yes/,
    );
    expect(await said("delete", id, "--yes")).toMatch(/^0 .*deleted: .* It left the list, /);
    expect(await said("delete", id)).toMatch(/^0 .*this session was already deleted: /);
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
