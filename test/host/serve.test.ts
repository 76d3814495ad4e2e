import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isId, makeId, type SessionId } from "@holdfast/protocol";
import { EventSource } from "eventsource";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { wireHost } from "../../packages/server/src/host.ts";
import { type HostProcess, holdfast, startHost } from "./process.ts";

const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
const scratch = () => join(mkdtempSync(join(tmpdir(), "holdfast-serve-")), "data");

function fingerprint(dir: string): Record<string, string> {
  const entries = readdirSync(dir, { withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    entries.map(({ name }) => {
      const path = join(dir, name);
      const { mtimeNs, size } = statSync(path, { bigint: true });
      const hash = createHash("sha256").update(readFileSync(path)).digest("hex");
      return [name, `${size} ${mtimeNs} ${hash}`];
    }),
  );
}

describe("holdfast serve", () => {
  // The first tests use one data directory, in their order.
  const data = scratch();
  let host: HostProcess;
  beforeAll(async () => {
    host = await startHost(data);
  });
  afterAll(() => {
    host.child.kill("SIGKILL");
  });

  test("all its files are private to its owner", () => {
    expect(statSync(data).mode & 0o077).toBe(0);
    for (const name of readdirSync(data)) {
      expect([name, statSync(join(data, name)).mode & 0o077]).toEqual([name, 0]);
    }
  });

  test("[F4] a second host on the same data refuses without writing any file", async () => {
    // A stopped host still holds the lock and does not write.
    host.child.kill("SIGSTOP");
    const before = fingerprint(data);
    const refused = await holdfast("serve", "--json", "--port", "0", "--data", data);
    expect(refused.code).toBe(1);
    expect(JSON.parse(refused.stdout)).toMatchObject({ error: { code: "data_locked" } });
    expect(refused.stderr).toContain("Another Holdfast process");
    for (const command of [["repair"], ["backup", join(data, "copy")]]) {
      const also = await holdfast(...command, "--json", "--data", data);
      expect(JSON.parse(also.stdout)).toMatchObject({ error: { code: "data_locked" } });
    }
    expect(fingerprint(data)).toEqual(before);
    host.child.kill("SIGCONT");
    expect((await fetch(`${host.ready.url}/health`)).status).toBe(200);
  });

  test("prints one ready line, answers /health, and starts again after kill -9 with the same token", async () => {
    const { ready, child } = host;
    expect(isId("boot", ready.bootId)).toBe(true);
    const health = await (await fetch(`${ready.url}/health`)).json();
    expect(health).toEqual({
      status: "ok",
      bootId: ready.bootId,
      version: "0.1.0",
      pid: child.pid,
    });
    expect(await host.end("SIGKILL")).toBe("SIGKILL");
    host = await startHost(data);
    expect(host.ready.token).toBe(ready.token);
    expect(host.ready.bootId).not.toBe(ready.bootId);
  });

  test("README's EventSource goes on after kill -9 of the host, each event once", async () => {
    const { url, token } = host.ready;
    const port = Number(new URL(url).port);
    const call = async (method: string, path: string, body: object) => {
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      const reply = await fetch(`${url}${path}`, { method, headers, body: JSON.stringify(body) });
      return reply.json();
    };
    const { session } = await call("POST", "/api/sessions", { agent: "demo" });
    const seqs: string[] = [];
    const sources: EventSource[] = [];
    class Source extends EventSource {
      constructor(path: string) {
        super(`${url}${path}`);
        sources.push(this);
        this.addEventListener("message", ({ lastEventId }) => seqs.push(lastEventId));
      }
    }
    const tickets = [call, async () => Promise.reject(new Error("the host is away again")), call];
    const post = (path: string, body: object) => tickets.shift()?.("POST", path, body);
    const soon = (act: (id: string) => void, _ms: number, of: string) => setTimeout(act, 1, of);
    const [, example] = /```js\n([^`]*new EventSource[\s\S]*?)```/.exec(readme) ?? [];
    const program = new Function("post", "EventSource", "setTimeout", `${example}; return follow`);
    await program(post, Source, soon)(session.id);
    await expect.poll(() => seqs.at(-1)).toBe("1");
    await host.end("SIGKILL");
    host = await startHost(data, { port });
    await call("PATCH", `/api/sessions/${session.id}`, { title: "Renamed" });
    await expect.poll(() => seqs).toEqual(["1", "2"]);
    for (const source of sources) source.close();
    expect(await host.end("SIGTERM")).toBe(0);
  });

  test("a lost journal is not silently replaced by an empty one", async () => {
    rmSync(join(data, "journal.db"));
    const refused = await holdfast("serve", "--json", "--port", "0", "--data", data);
    expect(refused.code).toBe(1);
    expect(JSON.parse(refused.stdout)).toMatchObject({ error: { code: "data_damaged" } });
    expect(existsSync(join(data, "journal.db"))).toBe(false);
  });

  test("a one-time link uses the allowed host name, so that a phone can open it", async () => {
    const host = await startHost(scratch(), { env: { HOLDFAST_ALLOW_REMOTE: "box.example" } });
    const { url, token } = host.ready;
    const headers = { authorization: `Bearer ${token}` };
    const link = await (await fetch(`${url}/api/links`, { method: "POST", headers })).json();
    expect(link).toMatchObject({ reach: "network", otherUrls: [] });
    expect(link.url).toBe(`https://box.example/#link=${link.code}`);
    await host.end("SIGTERM");
  });

  test.each([
    [["serve", "--port", "banana"], 2, "--port must be a number"],
    [["serve", "--host", "0.0.0.0"], 2, "--allow-remote"],
    [["serve", "--colour"], 2, "--colour"],
    [["serve", "extra"], 2, "Unexpected argument"],
    [["frobnicate"], 2, 'no command "frobnicate"'],
    [["resume", "latest"], 2, "Did you mean: holdfast session resume?"],
    [["backup"], 2, "Name the directory for the backup"],
  ])("%j is refused with a sentence that says what to do", async (args, code, said) => {
    const ended = await holdfast(...args);
    expect(ended.code).toBe(code);
    expect(ended.stderr).toContain(said);
    expect(ended.stderr).not.toContain("    at ");
  });

  test("an unusable data directory is refused without a stack trace", async () => {
    const file = join(mkdtempSync(join(tmpdir(), "holdfast-serve-")), "file");
    writeFileSync(file, "mine");
    const ended = await holdfast("serve", "--json", "--port", "0", "--data", file);
    expect(ended.code).toBe(1);
    expect(JSON.parse(ended.stdout)).toMatchObject({ error: { code: "data_unusable" } });
    expect(ended.stderr).not.toContain("    at ");
    expect(readFileSync(file, "utf8")).toBe("mine");
  });
});

test("a backup opens as a data directory of its own", async () => {
  const data = scratch();
  const host = await wireHost({ data });
  const sessionId = makeId("session", Date.now(), new Uint8Array(10).fill(7)) as SessionId;
  const input = { sessionId, tenant: "local", title: "Kept", agentName: "demo" };
  await host.sessions.execute(sessionId, "create", input);
  await host.close();
  const copy = scratch();
  const { code, stdout } = await holdfast("backup", copy, "--json", "--data", data);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ sessions: 1, events: 1 });
  expect(existsSync(copy)).toBe(true);
  const restored = await wireHost({ data: copy });
  expect((await restored.sessions.state(sessionId)).title).toBe("Kept");
  await restored.close();
});

/** A small disk that can be filled; root only. */
const small = mkdtempSync(join(tmpdir(), "holdfast-small-"));
const canMount = spawnSync("mount", ["-t", "tmpfs", "-o", "size=48m", "tmpfs", small]).status === 0;
afterAll(() => {
  if (canMount) spawnSync("umount", ["-l", small]);
  rmSync(small, { recursive: true, force: true });
});

test.skipIf(!canMount)("starts on a full disk, where reads still work [P8]", async () => {
  const data = join(small, "data");
  const first = await startHost(data);
  const ask = (host: typeof first, path: string, init: RequestInit = {}) =>
    fetch(`${host.ready.url}${path}`, {
      ...init,
      headers: {
        authorization: `Bearer ${host.ready.token}`,
        "content-type": "application/json",
      },
    });
  const body = JSON.stringify({ agent: "demo", title: "Before" });
  expect((await ask(first, "/api/sessions", { method: "POST", body })).status).toBe(201);
  await first.end("SIGKILL");
  fill(join(small, "filler"));
  const second = await startHost(data);
  const { sessions } = (await (await ask(second, "/api/sessions")).json()) as {
    sessions: { title: string }[];
  };
  expect(sessions.map(({ title }) => title)).toEqual(["Before"]);
  expect(await second.end("SIGTERM")).toBe(0);
});

function fill(path: string): void {
  const file = openSync(path, "w");
  try {
    for (const size of [1 << 20, 4096, 1]) {
      try {
        for (;;) writeSync(file, Buffer.alloc(size));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
      }
    }
  } finally {
    closeSync(file);
  }
}
