import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, describe, expect, test, vi } from "vitest";
import { wireHost } from "../../packages/server/src/host.ts";
import { bin, holdfast, inShell } from "./process.ts";

const folder = mkdtempSync(join(tmpdir(), "holdfast-cli-"));
const scratch = () => mkdtempSync(join(folder, "test-"));
const hasFull = existsSync("/dev/full");

afterAll(() => rmSync(folder, { recursive: true }));

describe("the output of holdfast", () => {
  test("help is on stdout, and as JSON it names every command", async () => {
    const { code, stdout, stderr } = await holdfast("help");
    expect([code, stderr]).toEqual([0, ""]);
    const json = await holdfast("help", "--json");
    expect(json.code).toBe(0);
    const { commands, exitCodes } = JSON.parse(json.stdout);
    const names = commands.map(({ name }: { name: string }) => name);
    expect(names).toEqual(expect.arrayContaining(["serve", "backup", "repair", "help"]));
    for (const { usage, does } of commands) {
      expect(stdout).toContain(usage);
      expect(stdout).toContain(does);
    }
    expect(exitCodes).toMatchObject({ ok: 0, failed: 1, usage: 2 });
  });

  test("a command starts without loading the schemas", async () => {
    const hook = join(scratch(), "hook.mjs");
    const print = "process.stderr.write(url + '\\n')";
    const load = `load(url, context, next) { ${print}; return next(url, context); }`;
    writeFileSync(hook, `import { registerHooks } from "node:module"; registerHooks({ ${load} });`);
    const { stderr } = await inShell(`NODE_OPTIONS=--import=${hook} holdfast --version`);
    expect(stderr).toContain("/protocol/src/index.ts");
    expect(stderr.split("\n").filter((url) => url.includes("/zod/"))).toEqual([]);
  });

  test("an unknown command is an error that a program can read", async () => {
    const { code, stdout, stderr } = await holdfast("frobnicate", "--json");
    expect(code).toBe(2);
    const message = 'There is no command "frobnicate". See holdfast help.';
    expect(JSON.parse(stdout)).toEqual({ error: { code: "bad_input", message } });
    expect(stderr).toBe(`holdfast: ${message}\n`);
  });

  test("a reader that closes the pipe ends a command quietly", async () => {
    for (const line of ["holdfast help | true", "holdfast help --json | true"]) {
      expect([line, await inShell(line)]).toEqual([line, { code: 0, stdout: "", stderr: "" }]);
    }
    const refused = await inShell("holdfast frobnicate --json 2>&1 >/dev/null | true");
    expect(refused).toEqual({ code: 2, stdout: "", stderr: "" });
  });

  test.skipIf(!hasFull)(
    "output that cannot be written is reported in one line on stderr",
    async () => {
      for (const line of ["holdfast help >/dev/full", "holdfast help --json >/dev/full"]) {
        const { code, stderr } = await inShell(line);
        expect(code).toBe(1);
        expect(stderr).toMatch(/^holdfast: The output could not be written \(ENOSPC.*\n$/);
      }
      expect((await inShell("holdfast help 2>/dev/full")).code).toBe(0);
    },
  );
});

describe("a host whose output breaks", () => {
  test("continues when its output is no longer read", async () => {
    for (const json of [["--json"], []]) {
      const port = await freePort();
      const host = serve(port, json, "pipe");
      host.stdout?.destroy();
      host.stderr?.destroy();
      expect(await firstAnswer(host, port)).toBe(200);
      expect(await firstAnswer(host, port)).toBe(200);
      expect(await stop(host)).toBe(0);
    }
  });

  test.skipIf(!hasFull)("continues when the disk for its output is full", async () => {
    for (const json of [["--json"], []]) {
      const port = await freePort();
      const host = serve(port, json, openSync("/dev/full", "w"));
      expect(await firstAnswer(host, port)).toBe(200);
      expect(await stop(host)).toBe(0);
    }
  });

  function serve(port: number, flags: string[], output: "pipe" | number): ChildProcess {
    const args = [bin, "serve", "--port", String(port), "--data", join(scratch(), "data")];
    return spawn(process.execPath, [...args, ...flags], { stdio: ["ignore", output, output] });
  }

  /** Polls the host until it answers, because its output cannot be read. */
  async function firstAnswer(host: ChildProcess, port: number): Promise<number> {
    const answer = async () => {
      if (host.exitCode !== null || host.signalCode !== null) {
        throw new Error(`the host ended with ${host.exitCode ?? host.signalCode}`);
      }
      return fetch(`http://127.0.0.1:${port}/health`).catch(() => null);
    };
    return (await vi.waitUntil(answer, { timeout: 20_000 })).status;
  }

  async function stop(host: ChildProcess): Promise<number | string> {
    const exited = once(host, "exit");
    host.kill("SIGTERM");
    const [code, signal] = await exited;
    return (code ?? signal) as number | string;
  }

  async function freePort(): Promise<number> {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    server.close();
    await once(server, "close");
    return port;
  }
});

describe("a data directory that cannot be used", () => {
  const file = join(scratch(), "file");
  writeFileSync(file, "mine");

  test.each(["/proc", "/proc/x", "/proc/x/y", "/dev/null", "/dev/null/x", join(file, "x")])(
    "%s is refused at once, with what to do",
    async (data) => {
      for (const command of [["serve", "--port", "0"], ["repair"]]) {
        const { code, stdout, stderr } = await holdfast(...command, "--json", "--data", data);
        expect(code).toBe(1);
        expect(JSON.parse(stdout)).toMatchObject({ error: { code: "data_unusable" } });
        expect(stderr).toMatch(/^holdfast: .*choose another directory\.\n$/);
      }
    },
  );

  test("is refused as a place for a backup, too", async () => {
    const data = scratch();
    await (await wireHost({ data })).close();
    for (const to of ["/proc/x", file]) {
      const { code, stdout } = await holdfast("backup", to, "--json", "--data", data);
      expect([to, code]).toEqual([to, 1]);
      expect(JSON.parse(stdout)).toMatchObject({ error: { code: "data_unusable" } });
    }
  });
});

test("the greeting names damaged sessions and says how to repair them", async () => {
  const data = scratch();
  const first = await wireHost({ data });
  const ids: string[] = [];
  for (let i = 0; i < 8; i++) {
    const sessionId = first.sessions.newId("session");
    const input = { sessionId, tenant: "local", title: `Session ${i}`, agentName: "demo" };
    await first.sessions.execute(sessionId, "create", input);
    ids.push(sessionId);
  }
  await first.close();
  const database = new DatabaseSync(join(data, "journal.db"));
  database.exec("update sessions set state_crc = state_crc + 1 where row > 1");
  database.close();

  const host = spawn(process.execPath, [bin, "serve", "--port", "0", "--data", data], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  for await (const chunk of host.stderr) {
    said += String(chunk);
    if (said.includes("Ctrl-C")) host.kill("SIGTERM");
  }
  expect(said).toContain(`7 sessions are damaged and can only be read: ${ids[1]}, `);
  expect(said).toContain(`${ids[5]}, 2 more\n`);
  expect(said).not.toContain(ids[0]);
  expect(said).toMatch(new RegExp(`run: \\S+holdfast repair --data ${data}\n`));
  expect(said).toContain("agents are not isolated");
});
