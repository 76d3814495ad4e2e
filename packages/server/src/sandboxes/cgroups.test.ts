import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Cgroups, hierarchiesIn } from "./cgroups.ts";

const two = "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate";

describe("the hierarchies", () => {
  test("of a machine with version 2 alone: the group of this process", () => {
    const own = "0::/user.slice/user-1000.slice/session-3.scope\n";
    expect(hierarchiesIn(two, own)).toEqual([
      {
        version: 2,
        controllers: [""],
        dir: "/sys/fs/cgroup/user.slice/user-1000.slice/session-3.scope",
      },
    ]);
  });

  test("of a machine with both: each controller where it is mounted", () => {
    const mounts = [
      "31 23 0:27 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct",
      "32 23 0:28 /docker/abc /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory",
      "33 23 0:29 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw",
    ].join("\n");
    const own = "4:memory:/docker/abc/agents\n2:cpu,cpuacct:/\n0::/\n";
    expect(hierarchiesIn(mounts, own).map(({ version, dir }) => [version, dir])).toEqual([
      [1, "/sys/fs/cgroup/cpu"],
      [1, "/sys/fs/cgroup/memory/agents"],
      [2, "/sys/fs/cgroup/unified"],
    ]);
  });
});

describe("limits", () => {
  test("are written where their controller is, and the others are named as not enforced", () => {
    const dir = mkdtempSync(join(tmpdir(), "hf-groups-"));
    const at = (name: string) => join(dir, name);
    for (const name of ["freezer", "pids", "memory"]) {
      mkdirSync(at(name));
      writeFileSync(join(at(name), "cgroup.procs"), "");
    }
    const groups = Cgroups.among(
      ["freezer", "pids", "memory"].map((name) => ({
        version: 1,
        controllers: [name],
        dir: at(name),
      })),
    );
    const group = groups?.make("one", { memoryBytes: 5e8, processes: 100, cpuWeight: 50 });
    const written = (file: string) => readFileSync(at(file), "utf8");
    expect(written("memory/holdfast-one/memory.limit_in_bytes")).toBe("500000000");
    expect(written("pids/holdfast-one/pids.max")).toBe("100");
    expect([group?.unlimited, groups?.ids()]).toEqual([["cpuWeight"], ["one"]]);
    rmSync(dir, { recursive: true });
  });

  test("are not there where this process may not write", () => {
    const dir = mkdtempSync(join(tmpdir(), "hf-groups-"));
    expect(Cgroups.among([{ version: 1, controllers: ["freezer"], dir }])).toBeNull();
    rmSync(dir, { recursive: true });
  });

  const real = Cgroups.find();

  test.skipIf(real === null)("a limit of processes holds", async ({ skip }) => {
    const id = `limits-${process.pid}`;
    const group = real?.make(id, { processes: 3 });
    if (group === undefined) return skip();
    try {
      if (group.unlimited.length > 0) return skip();
      const fork = "for i in 1 2 3 4 5 6; do sleep 60 & done; wait";
      const child = spawn("/bin/sh", ["-c", `read go; ${fork}`], {
        stdio: ["pipe", "ignore", "pipe"],
      });
      let complaint = "";
      child.stderr?.on("data", (chunk) => {
        complaint += chunk;
      });
      const exit = new Promise((resolve) => child.once("exit", resolve));
      for (const door of group.doors) writeFileSync(door, String(child.pid));
      child.stdin?.end("go\n");
      await expect.poll(() => complaint).toMatch(/fork/i);
      group.kill();
      await exit;
      await expect.poll(() => group.isEmpty).toBe(true);
    } finally {
      group.kill();
      group.remove();
    }
  });
});
