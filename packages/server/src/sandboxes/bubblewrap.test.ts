import { describe, expect, test } from "vitest";
import { bubblewrapCommand, type Machine } from "./bubblewrap.ts";
import type { Command } from "./sandbox.ts";
import { seccompFilter } from "./seccomp.ts";
import type { Shape } from "./shape.ts";

const shape: Shape = {
  mounts: [
    { kind: "read", path: "/usr", from: "/usr" },
    { kind: "write", path: "/home/me", from: "/data/one/home" },
    { kind: "file", path: "/etc/hosts", text: "127.0.0.1 localhost\n" },
  ],
  home: "/home/me",
  cwd: "/home/me/code",
  environment: ["TOKEN", "LD_PRELOAD"],
  network: "none",
  limits: {},
  uid: 1000,
  gid: 1001,
};
const machine: Machine = {
  uid: 1000,
  gid: 1001,
  isRealRoot: false,
  arch: "x64",
  version: [0, 8],
  proc: ["sys", "irq", "kcore", "1"],
};
const program = {
  command: "/usr/bin/agent",
  args: ["--acp"],
  env: { TOKEN: "secret-token", LD_PRELOAD: "/evil.so", OTHER: "other-secret" },
  stdio: ["pipe", "pipe", "pipe", "pipe"] as const,
};

const options = ({ feeds: [args] }: Command) => (args?.toString() ?? "").split("\0").slice(0, -1);
const has = (command: Command, ...wanted: string[]) =>
  ` ${options(command).join(" ")} `.includes(` ${wanted.join(" ")} `);

describe("bubblewrap's command", () => {
  const command = bubblewrapCommand(shape, program, machine);

  test("has nothing secret on its command line, and no variable of the program around it", () => {
    expect(command.file).toBe("/usr/bin/bwrap");
    expect(command.args).toEqual(["--args", "4", "--", "/usr/bin/agent", "--acp"]);
    expect(command.env).toEqual({});
    expect(has(command, "--clearenv", "--setenv", "TOKEN", "secret-token")).toBe(true);
    expect(options(command).join(" ")).not.toContain("other-secret");
  });

  test("gives texts and filter on the descriptors after the program's own", () => {
    expect(has(command, "--perms", "0644", "--ro-bind-data", "5", "/etc/hosts")).toBe(true);
    expect(has(command, "--seccomp", "6")).toBe(true);
    expect(command.feeds[1]?.toString()).toBe("127.0.0.1 localhost\n");
    expect(command.feeds[2]).toEqual(seccompFilter("x64"));
  });

  test.each([
    ["--unshare-user", "--uid", "1000", "--gid", "1001", "--disable-userns"],
    ["--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try", "--unshare-net"],
    ["--cap-drop", "ALL"],
    ["--die-with-parent", "--new-session"],
    ["--bind", "/data/one/home", "/home/me"],
    ["--ro-bind", "/proc/sys", "/proc/sys"],
    ["--ro-bind", "/dev/null", "/proc/kcore"],
    ["--remount-ro", "/"],
    ["--chdir", "/home/me/code"],
  ])("says %s %s", (...wanted) => {
    expect(has(command, ...wanted)).toBe(true);
  });

  test("covers no part of /proc that the machine does not have", () => {
    expect(options(command)).not.toContain("/proc/sysrq-trigger");
  });

  test("leaves the switch for user namespaces out where the version lacks it", () => {
    const older = bubblewrapCommand(shape, program, { ...machine, version: [0, 6] });
    expect(options(older)).not.toContain("--disable-userns");
  });

  test("under a root host becomes the shape's user inside, who has no capability at all", () => {
    const root = { ...machine, uid: 0, gid: 0, isRealRoot: true };
    const own = bubblewrapCommand(shape, program, root);
    expect(options(own)).not.toContain("--unshare-user");
    const ids = ["--reuid=1000", "--regid=1001", "--clear-groups", "--bounding-set=-all"];
    expect(own.args).toEqual(expect.arrayContaining(["/usr/bin/setpriv", ...ids]));
    const same = bubblewrapCommand({ ...shape, uid: 0, gid: 0 }, program, root);
    expect(has(same, "--unshare-user", "--uid", "0")).toBe(true);
  });
});

test("there is no filter for a processor whose system calls are not known", () => {
  expect(seccompFilter("riscv64")).toBeNull();
});
