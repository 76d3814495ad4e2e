/**
 * Attempts to leave a sandbox, run inside one: `node escape-probes.mjs FACTS.json`. It prints the names
 * of the attempts that succeeded. An attempt that changes something outside is judged there, so it
 * only acts here (`acts`).
 */

import { spawnSync } from "node:child_process";
import { createSocket } from "node:dgram";
import {
  closeSync,
  constants,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { connect } from "node:net";
import { hostname, setPriority } from "node:os";
import { join } from "node:path";

const facts = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8"));
const { home, data, other, workspace, secret, hostPid, port, arch } = facts;

const read = (path) => readFileSync(path, "utf8").includes(secret);
const opens = (path, flags) => {
  closeSync(openSync(path, flags));
  return true;
};
const runs = (command, ...args) => spawnSync(command, args, { cwd: "/" }).status === 0;
const pids = () => readdirSync("/proc").filter((name) => Number(name) > 0);
const inAny = (file) =>
  pids().some((pid) => {
    try {
      return read(`/proc/${pid}/${file}`);
    } catch {
      return false;
    }
  });
const connects = (options) =>
  new Promise((resolve) => {
    const socket = connect(options);
    socket.once("error", () => resolve(false));
    socket.once("data", (chunk) => resolve(chunk.toString().includes(secret)));
    socket.once("end", () => resolve(false));
  });
/** Inside, the number may be that of another process. */
const isHost = () => readFileSync(`/proc/${hostPid}/cmdline`, "utf8").includes("escape-run");
const acts = (act) => () => {
  act();
  return false;
};
/** Perl can make any system call. */
const calls = (code) => runs("/usr/bin/perl", "-e", code);
const numbers = {
  x64: { ptrace: 101, keyctl: 250, setns: 308, process_vm_readv: 310 },
  arm64: { ptrace: 117, keyctl: 219, setns: 268, process_vm_readv: 270 },
}[arch];

const everyone = {
  "read a private key": () => read(join(home, ".ssh/id_rsa")),
  "read cloud credentials": () => read(join(home, ".aws/credentials")),
  "read a forge's token": () => read(join(home, ".config/gh/hosts.yml")),
  "read a shell history": () => read(join(home, ".bash_history")),
  "read .netrc": () => read(join(home, ".netrc")),
  "read the agent's login of the person": () => read(join(home, ".claude/.credentials.json")),
  "list the person's home": () => readdirSync(home).includes(".ssh"),
  "read the host's token": () => read(join(data, "token")),
  "read the journal": () => read(join(data, "journal.db")),
  "write the journal": acts(() => writeFileSync(join(data, "journal.db"), "forged")),
  "list the data directory": () => readdirSync(data).includes("token"),
  "read another session's workspace": () => read(join(other, "file")),
  "write another session's workspace": acts(() => writeFileSync(join(other, "forged"), "")),
  "read another session's home": () => read(join(data, "sessions/two/home/secret")),
  "write beside the workspace": acts(() => writeFileSync(join(workspace, "../forged"), "")),
  "write the person's .bashrc": acts(() => writeFileSync(join(home, ".bashrc"), "forged")),
  "plant a program that starts with the desktop": acts(() => {
    mkdirSync(join(home, ".config/autostart"), { recursive: true });
    writeFileSync(join(home, ".config/autostart/forged.desktop"), "");
  }),
  "change a tool on the PATH": acts(() => writeFileSync(join(home, ".local/bin/tool"), "forged")),
  "put a link in the place of a folder above a mount": () => {
    renameSync(join(home, ".local"), join(home, ".moved"));
    renameSync(join(home, ".moved"), join(home, ".local"));
    return true;
  },
  "read another program's temporary file": () => read(facts.temporary),
  "read through a link in the workspace": () => {
    symlinkSync(join(home, ".ssh/id_rsa"), join(workspace, "link"));
    return read(join(workspace, "link"));
  },
  "read through a hard link in the workspace": () => {
    linkSync(join(home, ".ssh/id_rsa"), join(workspace, "hard"));
    return read(join(workspace, "hard"));
  },
  "read shared memory": () => read(facts.shared),
  "see segments of shared memory": () =>
    spawnSync("ipcs", ["-m"], { encoding: "utf8" }).stdout.includes(facts.segment),
  "learn the machine's name": () => hostname() === facts.hostname,
  "learn the machine's users": () => readFileSync("/etc/passwd", "utf8").includes("daemon"),
  "find a secret in an environment": () => inAny("environ"),
  "find a secret on a command line": () => inAny("cmdline"),
  "read a file through the host's root": () => read(`/proc/${hostPid}/root${home}/.ssh/id_rsa`),
  "read a file that the host has open": () =>
    // Reading a pipe would wait.
    readdirSync(`/proc/${hostPid}/fd`)
      .map((fd) => `/proc/${hostPid}/fd/${fd}`)
      .some((path) => readlinkSync(path).endsWith("id_rsa") && read(path)),
  "open the host's memory": () => isHost() && opens(`/proc/${hostPid}/mem`, "r"),
  "trace the host": () =>
    isHost() && calls(`exit(syscall(${numbers.ptrace}, 0x4206, ${hostPid}, 0, 0) == 0 ? 0 : 1)`),
  "signal the host": acts(() => process.kill(hostPid, "SIGWINCH")),
  "slow the host down": acts(() => setPriority(hostPid, 7)),
  "connect to the control API": () => connects({ host: "127.0.0.1", port }),
  "connect to it by 0.0.0.0": () => connects({ host: "0.0.0.0", port }),
  "connect to it by a mapped address": () => connects({ host: "::ffff:127.0.0.1", port }),
  "connect to another sandbox": () => connects({ host: "127.0.0.1", port: facts.otherPort }),
  "send a datagram to the host": () =>
    new Promise((resolve) => {
      const socket = createSocket("udp4");
      socket.send("forged", facts.datagrams, "127.0.0.1", () => socket.close(() => resolve(false)));
    }),
  "connect to an abstract socket": () => connects({ path: `\0${facts.abstract}` }),
  "connect to a socket in the data directory": () => connects({ path: join(data, "socket") }),
  "see the machine's listening ports": () =>
    readFileSync("/proc/net/tcp", "latin1").includes(`:${port.toString(16).toUpperCase()} `),
  "see the machine's sockets": () =>
    readFileSync("/proc/net/unix", "utf8").includes(facts.abstract),
  "read the machine's devices in /sys": () => existsSync("/sys/class"),
  "read a key of the person's keyring": () =>
    calls(
      `my ($t, $d) = ("user", "${facts.keyName}"); exit(syscall(${numbers.keyctl}, 10, -4, $t, $d, 0) > 0 ? 0 : 1)`,
    ),
  "make a user namespace": () => runs("unshare", "--user", "true"),
  "mount in a user namespace": () =>
    runs("unshare", "--user", "--map-root-user", "--mount", "mount", "-t", "tmpfs", "x", "/mnt"),
  "plant a git hook": acts(() => {
    mkdirSync(join(workspace, ".git/hooks"), { recursive: true });
    writeFileSync(join(workspace, ".git/hooks/post-checkout"), "forged", { mode: 0o755 });
  }),
  "plant a git setting": acts(() => writeFileSync(join(workspace, ".git/config"), "forged")),
  "plant a git setting of the work tree": acts(() =>
    writeFileSync(join(workspace, ".git/config.worktree"), "forged"),
  ),
  "plant a git attribute": acts(() => {
    mkdirSync(join(workspace, ".git/info"), { recursive: true });
    writeFileSync(join(workspace, ".git/info/attributes"), "forged");
  }),
  "plant a submodule": acts(() => {
    mkdirSync(join(workspace, ".git/modules/m"), { recursive: true });
    writeFileSync(join(workspace, ".git/modules/m/config"), "forged");
  }),
  "lead the person's git to settings in the workspace": acts(() => {
    for (const name of ["objects", "refs"])
      mkdirSync(join(workspace, "led", name), { recursive: true });
    const command = `touch ${facts.ran}; false`;
    writeFileSync(join(workspace, "led/config"), `[core]\nfsmonitor = "${command}"\n`);
    writeFileSync(join(workspace, ".git/commondir"), "../led\n");
  }),
  "put another git directory in place": () => {
    renameSync(join(workspace, ".git"), join(workspace, "moved"));
    renameSync(join(workspace, "moved"), join(workspace, ".git"));
    return true;
  },
};

/** A host of root has more to lose. Files of the kernel are only opened. */
const root = {
  "open core_pattern to write": () => opens("/proc/sys/kernel/core_pattern", constants.O_WRONLY),
  "open a setting of the kernel's memory to write": () =>
    opens("/proc/sys/vm/drop_caches", constants.O_WRONLY),
  "open sysrq-trigger to write": () => opens("/proc/sysrq-trigger", constants.O_WRONLY),
  "read /etc/shadow": () => opens("/etc/shadow", "r"),
  "write in /usr": () => {
    writeFileSync(`/usr/lib/${facts.abstract}`, "");
    rmSync(`/usr/lib/${facts.abstract}`);
    return true;
  },
  mount: () => runs("unshare", "--mount", "mount", "-t", "tmpfs", "x", "/mnt"),
  "change the root": () => runs("chroot", "/", "/bin/true"),
  "become root": () => {
    process.setuid(0);
    return true;
  },
  "make a device": () => runs("mknod", join(workspace, "device"), "b", "7", "200"),
  "open a disk": () => opens(facts.disk, "r"),
  "read the kernel's log": () => opens("/dev/kmsg", "r"),
  "leave the control group": () =>
    ["/sys/fs/cgroup/cgroup.procs", "/sys/fs/cgroup/unified/cgroup.procs"].some(
      (path) => existsSync(path) && opens(path, constants.O_WRONLY),
    ),
  "enter a namespace of the host": () =>
    calls(
      `open(F, "<", "/proc/${hostPid}/ns/net") or exit 1; exit(syscall(${numbers.setns}, fileno(F), 0) == 0 ? 0 : 1)`,
    ),
};

const attempts = { ...everyone, ...(facts.asRoot ? root : {}) };
// In a user namespace uid 0 is a name alone; the other attempts show what it may do.
if (facts.isRootInside) delete attempts["become root"];
if (facts.disk === null) delete attempts["open a disk"];
if (!facts.hasTrigger) delete attempts["open sysrq-trigger to write"];
if (facts.traceScope !== "0" && !facts.asRoot) {
  // Where only parents may trace, these fail without any boundary.
  for (const name of ["open the host's memory", "trace the host"]) delete attempts[name];
}
const succeeded = [];
for (const [name, attempt] of Object.entries(attempts)) {
  try {
    if (await attempt()) succeeded.push(name);
  } catch {
    // A refused attempt.
  }
}
console.log(JSON.stringify({ attempted: Object.keys(attempts), succeeded }));
process.exit(0);
