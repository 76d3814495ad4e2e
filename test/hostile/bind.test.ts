/** Addresses on which a real host listens: one port of loopback, unless the owner asks for more. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { bin } from "../host/process.ts";
import { familyOf, isLinux, listeningOf, loopback } from "./processes.ts";
import { Target } from "./target.ts";

const scratch = mkdtempSync(join(tmpdir(), "holdfast-hostile-"));
afterAll(() => rmSync(scratch, { recursive: true }));

/** Starts a host that should refuse; one that does not is killed and has no exit code. */
async function refused(flags: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const data = join(scratch, "never");
  const child = spawn(process.execPath, [bin, "serve", "--port", "0", "--data", data, ...flags], {
    stdio: ["ignore", "pipe", "pipe"],
    timeout: 15_000,
    killSignal: "SIGKILL",
    env: { ...process.env, ...env },
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (chunk) => {
      said += String(chunk);
    });
  }
  const [code] = await once(child, "close");
  return { code, said, began: existsSync(data) };
}

describe("[S17] listening beyond this machine", () => {
  test("is refused until the owner allows host names, and no data is created", async () => {
    const tries: (readonly [readonly string[], Record<string, string>?])[] = [
      [["--host", "0.0.0.0"]],
      [["--host", "::"]],
      [["--host", "127.0.0.1.evil.test"]],
      [[], { HOLDFAST_HOST: "0.0.0.0" }],
    ];
    const answers = await Promise.all(tries.map(([flags, env]) => refused(flags, env)));
    for (const { code, said, began } of answers) {
      expect([code, began]).toEqual([2, false]);
      expect(said).toContain("--allow-remote");
      expect(said).not.toContain("    at ");
    }
  });

  test("is refused for anything but a host name", async () => {
    const names = ["0.0.0.0:80", "[::]", "*", "http://box.test"];
    const answers = await Promise.all(
      names.map((name) => refused(["--host", "0.0.0.0", "--allow-remote", name])),
    );
    for (const { code, said, began } of answers) {
      expect([code, began]).toEqual([2, false]);
      expect(said).toContain("is not a host name");
    }
  });

  test("warns that anyone can read along, and answers only to that name and to loopback", async () => {
    const open = new Target({ flags: ["--host", "0.0.0.0", "--allow-remote", "box.test"] });
    try {
      await open.start();
      expect(open.said).toMatch(/not encrypted/);
      const host = (name: string) => open.ask("GET", "/health", { host: `${name}:${open.port}` });
      expect((await host("box.test")).status).toBe(200);
      expect((await host("127.0.0.1")).status).toBe(200);
      for (const name of ["0.0.0.0", "[::]", "evil.test", "192.0.2.1"]) {
        expect([name, (await host(name)).status]).toEqual([name, 403]);
      }
      expect((await open.ask("GET", "/api/sessions", { as: null })).status).toBe(401);
    } finally {
      await open.end();
    }
  });
});

describe.skipIf(!isLinux)("[S17] a host with default settings", () => {
  test.each([[[]], [["--host", "localhost"]]])(
    "listens on one port of loopback, and so do all its holders and agents: %j",
    async (flags) => {
      const target = new Target({ flags });
      try {
        await target.start();
        expect(target.said).toBe("");
        const tcp = (pids: readonly number[]) =>
          listeningOf(pids).filter(({ kind }) => kind !== "unix");
        const own = [{ kind: "tcp", address: loopback(target.port) }];
        expect(tcp([target.hostPid])).toEqual(own);
        const { id } = await target.create("/ask");
        await target.untilKind(id, "approval.requested");
        const { holder, agent } = target.pids();
        const pids = [target.hostPid, ...familyOf(holder ?? 0), ...familyOf(agent ?? 0)];
        expect(new Set(pids).size).toBeGreaterThan(2);
        expect(tcp(pids)).toEqual(own);
        // Each holder's socket lies in the data directory, under a relative name.
        const unix = listeningOf(pids).filter(({ kind }) => kind === "unix");
        expect(unix.map(({ address }) => address)).toEqual(["s"]);
      } finally {
        await target.end();
      }
    },
  );
});
