import { describe, expect, test } from "vitest";
import { type InsideView, judgeWords, type KernelSettings, leakIn } from "./probe-words.ts";

const open: KernelSettings = {
  maxUserNamespaces: "96349",
  unprivilegedClone: null,
  apparmorRestricts: null,
};

/** Words of bubblewrap as it said them. */
const noPermission =
  "bwrap: No permissions to create new namespace, likely because the kernel does not allow non-privileged user namespaces. See <https://deb.li/bubblewrap> or <file:///usr/share/doc/bubblewrap/README.Debian.gz>.";
const exceeded =
  "bwrap: Creating new namespace failed: nesting depth or /proc/sys/user/max_*_namespaces exceeded (ENOSPC)";
const uidMap = "bwrap: setting up uid map: Permission denied";
const loopback = "bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted";
const maskedProc = "bwrap: Can't mount proc on /newroot/proc: Operation not permitted";

describe("bubblewrap's words", () => {
  test.each([
    [exceeded, { maxUserNamespaces: "0" }, "namespaces_off", "user.max_user_namespaces=15000"],
    [
      noPermission,
      { unprivilegedClone: "0" },
      "namespaces_off",
      "kernel.unprivileged_userns_clone=1",
    ],
    [
      uidMap,
      { apparmorRestricts: "1" },
      "apparmor",
      "apparmor_parser -r /etc/apparmor.d/bwrap-userns-restrict",
    ],
    [loopback, { apparmorRestricts: "1" }, "apparmor", "sudo apt install apparmor-profiles"],
    [noPermission, {}, "container", "--security-opt seccomp=unconfined"],
    [maskedProc, {}, "container", "--security-opt systempaths=unconfined"],
    [loopback, { apparmorRestricts: "0" }, "container", "the only boundary"],
    ["bwrap: execvp node: No such file or directory", {}, "unknown", "its own words"],
  ] as const)("%s with %j mean %s, and what to type is said", (words, over, reason, advice) => {
    const probe = judgeWords(words, { ...open, ...over });
    expect(probe).toMatchObject({ holds: false, reason, words });
    expect(probe.advice).toContain(advice);
  });
});

describe("the look from inside", () => {
  const held: InsideView = {
    uid: 1000,
    processes: 3,
    interfaces: ["lo"],
    canWriteSettings: false,
    canMakeUserNamespaces: false,
    seesOutside: false,
    listens: true,
  };

  test.each([
    [{}, null],
    [{ uid: 0 }, "it runs as user 0"],
    [{ processes: 80 }, "it sees 80 processes"],
    [{ interfaces: ["lo", "eth0"] }, "it has the machine's network"],
    [{ canWriteSettings: true }, "it can write /proc/sys"],
    [{ canMakeUserNamespaces: true }, "it can make user namespaces"],
    [{ canMakeUserNamespaces: null }, "it has no unshare to try user namespaces with"],
    [
      { seesOutside: true, listens: false },
      "it cannot listen on a port of its own, it sees files of the host",
    ],
  ])("finds in %j: %s", (over, leak) => {
    expect(leakIn({ ...held, ...over }, 1000)).toBe(leak);
  });
});
