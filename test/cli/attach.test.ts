import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, test } from "vitest";
import { served } from "./served.ts";
import { hasTerminal, lines, start, startInTerminal } from "./terminal.ts";

const cli = served();
const { at, holdfast, json, session, idle } = cli;

describe("holdfast attach", () => {
  test("goes on by itself when the host is killed and comes back elsewhere", async () => {
    const id = await session("/say before");
    await idle(id);
    const attached = start(at("attach", id, "--json"));
    await attached.says("run.completed", "stdout");
    await cli.kill();
    await attached.says("host offline");
    await cli.startAgain();
    await attached.says("· reconnected");
    expect((await holdfast("send", id, "/say", "after")).code).toBe(0);
    await attached.says("after", "stdout");
    attached.child.kill("SIGINT");
    expect(await attached.ended()).toBe(130);
    const seqs = lines(attached.stdout).map(({ seq }) => seq);
    expect(seqs).toEqual(seqs.map((_, i) => i + 1));
    expect(attached.stderr.match(/host offline/g)).toHaveLength(1);
    expect(attached.stderr.match(/· reconnected/g)).toHaveLength(1);
  });

  test("shows a past recovery where it happened, as show does", async () => {
    const id = await session("/ask");
    const waits = async () =>
      (await cli.client.call("getStatus", { params: { sessionId: id } })).wait !== null;
    await expect.poll(waits, { timeout: 20_000 }).toBe(true);
    await cli.kill();
    await cli.startAgain();
    const recovered = async () =>
      (await cli.client.call("listReceipts", { params: { sessionId: id } })).receipts.length;
    await expect.poll(recovered, { timeout: 20_000 }).toBe(1);
    expect((await holdfast("approve", id, "--yes")).code).toBe(0);
    await idle(id);
    const words = /⌁ Host restarted\. .*\n.*⌁ kept: everything; the run waits for your answer\n/;
    const { stdout } = await holdfast("show", id);
    expect(stdout).toMatch(words);
    expect(stdout.indexOf("⌁ kept")).toBeLessThan(stdout.indexOf("✓ done"));
    const attached = start(at("attach", id));
    await attached.says("⌁ kept: everything");
    attached.child.kill("SIGINT");
    expect(await attached.ended()).toBe(130);
    const [shown] = await json("show", id);
    expect(shown).toMatchObject({ receipts: [{ rung: "adopted" }] });
  });

  test("ends at a question where nobody can type, and names the command that answers it", async () => {
    const id = await session("/ask");
    const following = start(at("attach", id));
    expect(await following.ended()).toBe(4);
    expect(following.stderr).toMatch(/answer: .* approve .*\n.*attach in a terminal\n/);
    const opened = await holdfast("attach", id);
    expect([opened.code, opened.stderr]).toEqual([4, expect.stringContaining("? needs you")]);
    expect((await holdfast("approve", id, "--yes")).code).toBe(0);
    await idle(id);
  });

  test.skipIf(!hasTerminal)(
    "says that the agent stopped after it asked, as show does, until the turn goes on",
    async () => {
      const id = await session("/ask");
      const attached = startInTerminal(at("attach", id));
      await attached.says("? needs you", "stdout");
      const params = { sessionId: id };
      await cli.client.call("breakSession", { params, body: { what: "agent" } });
      const words = "The agent stopped after it asked. It restarts when you answer";
      await attached.says(`! ${words}`, "stdout");
      attached.child.stdin?.write("\u0003");
      expect(await attached.ended()).toBe(130);
      expect((await holdfast("show", id)).stdout).toMatch(
        new RegExp(`\\? needs you.*\n {4}${words}, if not before, and is told your answer`),
      );
      expect((await holdfast("session", "resume", id, "--no-follow")).code).toBe(0);
      expect((await holdfast("show", id)).stdout).toContain(
        "The agent was restarted after it asked.",
      );
      expect((await holdfast("approve", id, "--yes")).code).toBe(0);
      await idle(id);
      expect((await holdfast("show", id)).stdout).not.toContain("after it asked");
      const attempts = (await json("logs", id)).filter(({ kind }) => kind === "attempt.started");
      expect(attempts).toMatchObject([{ way: "prompt" }, { cause: "answered", way: "continue" }]);
    },
  );

  test.skipIf(!hasTerminal)(
    "shows a question and leaves on Ctrl-C while the host does not list what ran again",
    async () => {
      const id = await session("/say before");
      await idle(id);
      const target = new URL(cli.host.ready.url);
      let lists = 0;
      // Forwards all but the second list of receipts, which attach requests at the question.
      const proxy = createServer((from, to) => {
        if (from.url?.endsWith("/receipts") && ++lists > 1) return;
        const { method, headers, url: path } = from;
        const { hostname, port, host } = target;
        const options = { method, hostname, port, path, headers: { ...headers, host } };
        const forwarded = request(options, (response) => {
          to.writeHead(response.statusCode ?? 502, response.headers);
          response.pipe(to);
        });
        to.on("close", () => forwarded.destroy());
        from.pipe(forwarded.on("error", () => to.destroy()));
      });
      await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
      try {
        const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
        const attached = startInTerminal(at("attach", id, "--url", url));
        await attached.says("✓ done", "stdout");
        expect((await holdfast("send", id, "/ask")).code).toBe(0);
        await attached.says("? needs you", "stdout");
        await expect.poll(() => lists).toBe(2);
        attached.child.stdin?.write("\u0003");
        expect(await attached.ended()).toBe(130);
      } finally {
        proxy.close();
        proxy.closeAllConnections();
      }
    },
  );

  test.skipIf(!hasTerminal)("answers by a key and Enter, once, and by no sentence", async () => {
    const id = await session("/ask");
    const attached = startInTerminal(at("attach", id));
    await attached.says("n to deny", "stdout");
    // Time to read the question: keys pressed earlier do not count as an answer.
    await new Promise((resolve) => setTimeout(resolve, 700));
    attached.child.stdin?.write("actually no, wait\r");
    await attached.says("queued until the run is done", "stdout");
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
