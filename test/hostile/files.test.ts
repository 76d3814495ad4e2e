/** Files of a host as other users of the same machine see them: all closed, with no leftovers. */

import { spawnSync } from "node:child_process";
import { chmodSync, lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { descriptorsOf, everyProcess, familyOf, isLinux, listeningOf } from "./processes.ts";
import { victimOf } from "./table.ts";
import { Target } from "./target.ts";

const temporary = mkdtempSync(join(tmpdir(), "holdfast-hostile-"));
const target = new Target({ env: { TMPDIR: temporary } });
const secrets: string[] = [];
let session = "";

beforeAll(async () => {
  // The worst case: umask 0 and an open directory, so that any file without an explicit mode is
  // open to everyone.
  const usual = process.umask(0);
  chmodSync(target.data, 0o755);
  await target.start();
  process.umask(usual);
  const victim = await victimOf(target);
  session = victim.ids.sessionId;
  const { client } = target;
  const { code } = await client.call("createLink", { body: {} });
  const { ticket } = await client.call("createTicket", { body: {} });
  const { runId } = victim.ids;
  const { token } = await client.call("mintToken", { params: { runId }, body: {} });
  secrets.push(target.token, victim.deviceToken, victim.keySecret, code, ticket, token);
  // Work that writes files, a message and an answer too long for an event, a crash, and a restart.
  const working = await target.create("/work");
  const asked = await target.untilKind(working.id, "approval.requested");
  const { runId: working_, approvalId } = asked;
  const params = { runId: working_, approvalId };
  await client.call("decideApproval", { params, body: { decision: "allow" } });
  await target.untilKind(working.id, "run.completed");
  const long = await target.create(`/bigline=300000 ${"x".repeat(300_000)}`);
  await target.untilKind(long.id, "run.completed");
  await target.kill();
  const other = process.umask(0);
  await target.start();
  process.umask(other);
  const crashing = await target.create("/crash=2 /count=5");
  await target.untilKind(crashing.id, "run.interrupted");
});

afterAll(async () => {
  await target.end();
  rmSync(temporary, { recursive: true });
});

interface Found {
  readonly path: string;
  readonly mode: number;
  readonly isSocket: boolean;
}

/** A holder whose agent crashed may remove its files during the walk. */
function allIn(dir: string): Found[] {
  const stats = lstatSync(dir, { throwIfNoEntry: false });
  if (stats === undefined || stats.isSymbolicLink()) return [];
  const own = {
    path: relative(target.data, dir),
    mode: stats.mode & 0o7777,
    isSocket: stats.isSocket(),
  };
  if (!stats.isDirectory()) return [own];
  return [own, ...namesIn(dir).flatMap((name) => allIn(join(dir, name)))];
}

function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

/** Files inside a workspace belong to the agent. */
const isAgents = (path: string) => /^workspaces\/[^/]+\/./.test(path);

describe("[S16] another user of this machine", () => {
  test("finds no open file or directory of ours, even when the host started with umask 0", () => {
    const all = allIn(target.data).filter(({ path }) => !isAgents(path));
    // The walk found the files of the story.
    for (const kind of ["journal.db", "token", "credentials", "host.json", "blobs", "holders"]) {
      expect(all.map(({ path }) => path)).toContain(kind);
    }
    expect(all.length).toBeGreaterThan(30);
    // The directory itself existed before and keeps its owner's mode.
    const open = all.filter(({ path, mode }) => path !== "" && (mode & 0o077) !== 0);
    expect(open.map(({ path, mode }) => `${mode.toString(8)} ${path}`)).toEqual([]);
  });

  test("finds no file with a setuid, setgid or sticky bit", () => {
    const special = allIn(target.data).filter(({ mode }) => (mode & 0o7000) !== 0);
    expect(special).toEqual([]);
  });

  test.skipIf(process.getuid?.() !== 0)(
    "cannot read, list, connect or look, when they try",
    async () => {
      const sockets = allIn(target.data).filter(({ isSocket }) => isSocket);
      expect(sockets.length).toBeGreaterThan(0);
      const as = { uid: 65_534, gid: 65_534, cwd: "/" };
      const tries = [
        ["ls", join(target.data, "holders")],
        ["ls", join(target.data, "workspaces", session)],
        ["cat", join(target.data, "token")],
        ["cat", join(target.data, "journal.db")],
        ["cat", join(target.data, "credentials")],
        ...sockets.map(({ path }) => ["ls", join(target.data, path)]),
      ];
      for (const [command = "", ...args] of tries) {
        const { status, stdout, stderr } = spawnSync(command, args, { ...as, encoding: "utf8" });
        expect([args, status === 0, stdout]).toEqual([args, false, ""]);
        expect(stderr).toContain("denied");
      }
      const dial = `require("net").connect(process.argv[1]).on("error",e=>console.log(e.code)).on("connect",()=>console.log("in"))`;
      for (const { path } of sockets) {
        const args = ["-e", dial, join(target.data, path)];
        const { stdout } = spawnSync(process.execPath, args, { ...as, encoding: "utf8" });
        // If other users may not run node, they cannot have connected either.
        expect(stdout).not.toContain("in");
      }
    },
  );

  test("is refused by a holder even when they reach its socket, because they lack its secret", async () => {
    const [socket] = allIn(target.data).filter(({ isSocket }) => isSocket);
    const dial = (said: string) =>
      new Promise<string>((resolve, reject) => {
        let told = "";
        const line = connect(join(target.data, socket?.path ?? ""));
        line.on("error", reject);
        line.on("data", (chunk) => {
          told += String(chunk);
        });
        line.on("close", () => resolve(told));
        line.write(`${said}\n`);
      });
    for (const said of ["{}", "x", '{"t":"hello"}', '{"t":"end"}', '{"t":"launch"}']) {
      const told = await dial(said);
      expect(told).toContain('"bad_hello"');
      expect(told).not.toMatch(/"nonce":"[^"]/);
    }
    const hello = { t: "hello", protocol: 1, epoch: 999_999, acked: 0, nonce: "guess" };
    expect(await dial(JSON.stringify(hello))).toContain('"bad_hello"');
    expect((await target.session(session)).id).toBe(session);
  });

  test.skipIf(!isLinux)("reads no secret in any command line", () => {
    const nonces = readdirSync(join(target.data, "holders"))
      .filter((name) => name.startsWith("hold_"))
      .map((name) => readFileSync(join(target.data, "holders", name, "launch.json"), "utf8"))
      .map((text) => (JSON.parse(text) as { nonce: string }).nonce);
    expect(nonces.length).toBeGreaterThan(0);
    const all = everyProcess();
    expect(all.map(({ pid }) => pid)).toContain(target.hostPid);
    const shown = all.filter(({ argv }) =>
      [...secrets, ...nonces].some((secret) => argv.includes(secret)),
    );
    expect(shown.map(({ argv }) => argv)).toEqual([]);
  });

  test.skipIf(!isLinux)("finds none of our files in the temporary directory", () => {
    expect(readdirSync(temporary)).toEqual([]);
    const { holder, agent } = target.pids();
    const pids = [
      target.hostPid,
      ...[holder, agent].flatMap((pid) => (isAlive(pid) ? familyOf(pid) : [])),
    ];
    const open = pids
      .flatMap(descriptorsOf)
      .filter((path) => /^\/(tmp|var\/tmp|dev\/shm)/.test(path));
    expect(open.filter((path) => !path.startsWith(target.data))).toEqual([]);
    const sockets = listeningOf(pids).filter(({ kind }) => kind === "unix");
    expect(sockets.filter(({ address }) => address.startsWith("@"))).toEqual([]);
    const names = [...target.holders(), session, `holdfast-${target.hostPid}`];
    const lying = readdirSync("/tmp").filter((name) => names.some((part) => name.includes(part)));
    expect(lying).toEqual([]);
  });
});

function isAlive(pid: number | null): pid is number {
  try {
    return pid !== null && process.kill(pid, 0);
  } catch {
    return false;
  }
}
