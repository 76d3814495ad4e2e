import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createClient } from "@holdfast/client";
import type { Event, SessionId } from "@holdfast/protocol";
import { openSqliteJournal } from "@holdfast/server/data";
import { describe, expect, test } from "vitest";
import { readIdentity } from "../../packages/server/src/holder/directory/identity.ts";
import { startHost } from "../host/process.ts";
import { own, served } from "./served.ts";
import { lines, run } from "./terminal.ts";

const cli = served();
const { folder, json } = cli;

/** True once the output that an agent leaves in its holder's files contains the text. */
function spooled(data: string, text: string): boolean {
  const files = readdirSync(join(data, "holders"), { recursive: true, withFileTypes: true });
  return files.some(
    (file) =>
      file.isFile() && readFileSync(join(file.parentPath, file.name), "utf8").includes(text),
  );
}

async function journalled(data: string, sessions: readonly string[]): Promise<Event[][]> {
  const journal = await openSqliteJournal({ dir: data });
  const slices = await Promise.all(
    sessions.map((session) => journal.read(session as SessionId, 0, 1000)),
  );
  await journal.close();
  return slices.map((slice) => lines(Buffer.from(slice?.bytes ?? []).toString()) as never);
}

describe("holdfast stop", () => {
  test("ends the host of its data directory, and no other process", async () => {
    const other = join(folder, "other");
    const second = await startHost(other);
    await createClient(second.ready).call("createSession", {
      body: { agent: "demo", message: "/ask" },
    });
    const file = join(other, "host.json");
    // As if the host had died and another process had its port or its pid.
    const claims = [
      { url: cli.host.ready.url, pid: process.pid, bootId: second.ready.bootId },
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
    // A host that could not write its file still has the data.
    rmSync(file);
    const unfound = await run(["stop", "--data", other]);
    expect([unfound.code, unfound.stderr]).toEqual([1, expect.stringContaining("See: ")]);
    const { url, bootId } = second.ready;
    writeFileSync(file, JSON.stringify({ url, bootId, pid: second.child.pid }));
    const stopped = await run(["stop", "--all", "--data", other, "--json"]);
    expect([stopped.code, lines(stopped.stdout)]).toMatchObject([
      0,
      [{ stopped: true, bootId, paused: 1 }],
    ]);
    const none = await run(["stop", "--data", other]);
    expect([none.code, none.stderr]).toEqual([0, `holdfast: no host runs on ${other}\n`]);
    // A killed host leaves its file.
    writeFileSync(file, JSON.stringify({ url, bootId, pid: second.child.pid }));
    const killed = await run(["stop", "--data", other, "--json"]);
    expect([killed.code, lines(killed.stdout)]).toEqual([0, [{ stopped: false }]]);
    const again = await run(["ls", "--data", other, "--json"]);
    expect([again.code, lines(again.stdout)]).toMatchObject([1, [{ error: { code: "no_host" } }]]);
    expect(again.stderr).toContain(`Start one with: ${own} serve --data ${other}`);
  });

  test("--all pauses the sessions of every tenant, and only for the owner of the host", async () => {
    const data = join(folder, "tenants");
    const host = await startHost(data);
    const { url, token } = host.ready;
    const clients = ["alice", "bob"].map((tenant) => createClient({ url, token, tenant }));
    const body = { agent: "demo", message: "/ask" };
    const live = await Promise.all(
      clients.map(async (client) => {
        const { session } = await client.call("createSession", { body });
        const params = { sessionId: session.id };
        const state = async () => (await client.call("getStatus", { params })).runtime.state;
        await expect.poll(state, { timeout: 20_000 }).toBe("live");
        return state;
      }),
    );
    const [alice] = clients;
    const key = await alice?.call("createKey", { body: { name: "cli", tenant: "alice" } });
    const env = { HOLDFAST_TOKEN: key?.secret ?? "" };
    const refused = await run(["stop", "--all", "--data", data], { env });
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringMatching(
        /with admin rights\. Use another key\. The credential came from HOLDFAST_TOKEN/,
      ),
    ]);
    for (const state of live) expect(await state()).toBe("live");
    const holders = () =>
      readdirSync(join(data, "holders")).filter((name) => !name.startsWith("."));
    const holder = readIdentity(join(data, "holders", holders()[0] ?? ""));
    const stuck = holder?.kind === "holder" ? holder.pid : Number.NaN;
    // A run that ends without a host, a message queued behind it, and a session that is starting.
    const owner = createClient({ url, token });
    const create = async (message: string) =>
      (await owner.call("createSession", { body: { agent: "demo", message } })).session.id;
    const busy = await create("/slow=200 /say one two three four");
    const message = { params: { sessionId: busy }, body: { content: "/say next" } };
    expect((await owner.call("sendMessage", message)).queued).not.toBeNull();
    const status = async () =>
      (await owner.call("getStatus", { params: { sessionId: busy } })).runtime.state;
    await expect.poll(status, { timeout: 20_000, interval: 20 }).toBe("live");
    const starting = await create("/ask");
    // A host that is gone leaves its agents running.
    await host.end("SIGKILL");
    await expect.poll(() => spooled(data, "end_turn"), { timeout: 20_000 }).toBe(true);
    process.kill(stuck, "SIGSTOP");
    const left = await run(["stop", "--all", "--data", data]);
    process.kill(stuck, "SIGCONT");
    expect(left.stderr).toContain(`holdfast: no host runs on ${data}, 3 sessions paused\n`);
    expect(left.stderr).toContain("was not paused: The agent may still be running.");
    expect([left.code, holders().length]).toEqual([1, 1]);
    const [finished, begun] = await journalled(data, [busy, starting]);
    const started = ({ kind }: Event) => kind === "run.started" || kind === "holder.launched";
    const boots = [...(finished ?? []), ...(begun ?? [])].filter(started);
    expect(new Set(boots.map((event) => "epoch" in event && event.epoch)).size).toBe(1);
    expect(finished?.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(["session.paused", "run.completed"]),
    );
    expect(begun?.map(({ kind }) => kind)).toContain("session.paused");
    const again = await run(["stop", "--all", "--data", data, "--json"]);
    expect([again.code, lines(again.stdout)]).toEqual([0, [{ stopped: false, paused: 0 }]]);
    expect(holders()).toEqual([]);
  });

  test("doctor finds a running host, and says what to do without one", async () => {
    const [well] = await json("doctor");
    expect(well).toMatchObject({
      checks: expect.arrayContaining([{ name: "host", level: "good", found: "answers" }]),
    });
    // No session has a boundary yet, also where bubblewrap works.
    expect(well).toMatchObject({
      checks: expect.arrayContaining([
        expect.objectContaining({ name: "isolation", level: "note" }),
        expect.objectContaining({
          name: "sandboxes",
          found: expect.stringMatching(/^not used for sessions yet; bubblewrap /),
        }),
      ]),
    });
    const { stdout } = await run(["doctor", "--data", join(folder, "nothing"), "--json"]);
    const host = { name: "host", level: "note", found: "not running" };
    expect(lines(stdout)).toMatchObject([
      { checks: expect.arrayContaining([expect.objectContaining(host)]) },
    ]);
  });
});
