// Installs the tools of the crash, sandbox and browser suites: for real disks, clocks, sandboxes and
// browsers. It reports tools that it cannot install; the suites then skip, so this never fails.
import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const TOOLS = [
  {
    command: "strace",
    package: "strace",
    why: "to kill the host and fail its I/O at an exact call",
  },
  { command: "mkfs.ext4", package: "e2fsprogs", why: "to cut the power of a disk image" },
  { command: "mount", package: "mount", why: "to mount those disk images" },
  { command: "faketime", package: "faketime", why: "to step the clock of a running host" },
  { command: "bwrap", package: "bubblewrap", why: "to try to break out of a real sandbox" },
  {
    command: "chromium",
    package: "chromium",
    why: "to open the page in a real browser, unless HOLDFAST_CHROMIUM names one",
    isHere: () => existsSync(process.env.HOLDFAST_CHROMIUM ?? ""),
  },
];

// Limits the time that a hanging mirror can cost.
const APT_LIMIT_MS = 5 * 60_000;
const APT_FLAGS = ["-y", "--no-install-recommends", "-o", "DPkg::Lock::Timeout=300"];
const APT_LISTS = "/var/lib/apt/lists";

const say = (line) => process.stdout.write(`system tools: ${line}\n`);

function isOnPath(command) {
  const folders = [...(process.env.PATH ?? "").split(":"), "/usr/sbin", "/sbin"];
  return folders.some((folder) => {
    try {
      accessSync(join(folder, command), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

function isDebian() {
  if (!existsSync("/etc/os-release")) return false;
  return /^ID(_LIKE)?=.*(debian|ubuntu)/m.test(readFileSync("/etc/os-release", "utf8"));
}

function apt(...args) {
  const result = spawnSync("apt-get", args, {
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
    stdio: ["ignore", "ignore", "inherit"],
    timeout: APT_LIMIT_MS,
  });
  return result.status === 0;
}

function hasPackageLists() {
  return existsSync(APT_LISTS) && readdirSync(APT_LISTS).some((name) => name.includes("Packages"));
}

function install(packages) {
  if (hasPackageLists() && apt("install", ...APT_FLAGS, ...packages)) return;
  say("refreshing the package lists…");
  apt("update");
  apt("install", ...APT_FLAGS, ...packages);
}

const missing = () => TOOLS.filter(({ command, isHere }) => !isHere?.() && !isOnPath(command));
const describe = (tools) => tools.map((tool) => `${tool.package} (${tool.why})`).join(", ");

const wanted = missing();
if (wanted.length > 0 && process.getuid?.() === 0 && isDebian() && isOnPath("apt-get")) {
  say(`installing ${describe(wanted)}…`);
  install(wanted.map((tool) => tool.package));
}

const absent = missing();
if (absent.length > 0) {
  const line = "!".repeat(80);
  say(line);
  say(`MISSING: ${describe(absent)}.`);
  say("The suites that need them are SKIPPED, and counted as skipped. To run them:");
  say(`  sudo apt-get install ${absent.map((tool) => tool.package).join(" ")}`);
  say(line);
} else if (wanted.length === 0) {
  say("all present");
}
