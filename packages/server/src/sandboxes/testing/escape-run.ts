/**
 * Plays a host with a person's home, data and sockets around a sandbox, lets the probes try to leave
 * it, and prints the attempts that succeeded: `node escape-run.ts process|bubblewrap|same-user SECRET`; the
 * last is bubblewrap without a user of its own under a root host, as for a workspace in place.
 */

import { execFileSync, spawn, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { createSocket } from "node:dgram";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { getPriority, hostname } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { closeInherited } from "../../holder/processes/inherited.ts";
import { realDisk } from "../disk.ts";
import { bubblewrapSandboxes, processSandboxes } from "../local-sandboxes.ts";
import { readMachine, sandboxUser } from "../machine.ts";
import { shapeOf } from "../make-shape.ts";
import { personsMachine } from "./shape-facts.ts";

closeInherited();
const [, , provider, secret = ""] = process.argv;
const machine = await readMachine();
if (machine === null) throw new Error("Bubblewrap is not installed.");
const person = personsMachine();
const { root, home, facts, file } = person;
const name = `hf-${randomUUID()}`;

// All can be read by everyone, so that only the boundary hides it.
for (const path of [".ssh/id_rsa", ".aws/credentials", ".config/gh/hosts.yml", ".bash_history"]) {
  file(`home/${path}`, secret);
}
for (const path of [".netrc", ".claude/.credentials.json", ".bashrc"]) file(`home/${path}`, secret);
file("home/.local/bin/tool", "#!/bin/sh\n", 0o777);
file("data/token", secret);
file("data/journal.db", secret);
file("data/workspaces/two/file", secret);
file("data/sessions/two/home/secret", secret);
const workspace = join(root, "code");
mkdirSync(workspace);
execFileSync("git", ["init", "-q", "--template=", workspace]);
copyFileSync(new URL("./escape-probes.mjs", import.meta.url), join(workspace, "probes.mjs"));
const temporary = join("/tmp", name);
const shared = join("/dev/shm", name);
for (const path of [temporary, shared]) execFileSync("/bin/sh", ["-c", `echo ${secret} >${path}`]);
openSync(join(home, ".ssh/id_rsa"), "r");
const segment = /\d+/.exec(execFileSync("ipcmk", ["-M", "64"], { encoding: "utf8" }))?.[0] ?? "";
const keyNumber = process.arch === "x64" ? 248 : 217;
const key = `my ($t, $d, $p) = ("user", "${name}", "${secret}"); syscall(${keyNumber}, $t, $d, $p, length($p), -4)`;
spawnSync("/usr/bin/perl", ["-e", key]);

let signals = 0;
process.on("SIGWINCH", () => signals++);
const answering = () => createServer((socket) => socket.end(secret));
const listening = (where: object) =>
  new Promise<number>((resolve) => {
    const server = answering().listen(where, () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : 0);
    });
  });
const port = await listening({ host: "127.0.0.1", port: 0 });
await listening({ path: `\0${name}` });
await listening({ path: join(facts.data, "socket") });
chmodSync(join(facts.data, "socket"), 0o777);
let datagrams = 0;
const datagramSocket = createSocket("udp4", () => datagrams++);
await new Promise<void>((resolve) => datagramSocket.bind(0, "127.0.0.1", resolve));

const isBubblewrap = provider !== "process";
const user = provider === "bubblewrap" ? sandboxUser(name, machine) : facts.user;
// The workspace is the sandbox's own, so that only the boundary keeps parts of it from being written.
execFileSync("chown", ["-R", `${user.uid}:${user.gid}`, workspace]);
const git = { common: join(workspace, ".git"), own: join(workspace, ".git") };
const shapeWith = (path: string) =>
  shapeOf(
    {
      ...facts,
      workspace: { path, kind: "in-place", git: path === workspace ? git : null },
      path: `/usr/bin:/bin:${join(home, ".local/bin")}`,
      programs: [process.execPath],
      user,
    },
    realDisk,
  );
const sandboxes = isBubblewrap
  ? bubblewrapSandboxes(null, machine)
  : processSandboxes({ cgroups: null, findProcesses: () => [] });
const start = (id: string, args: string[], env: Record<string, string>) => {
  const shape = shapeWith(workspace);
  if ("refused" in shape) throw new Error(shape.message);
  const stdio = ["ignore", "pipe", "inherit"] as const;
  return sandboxes.spawn(id, shape, { command: process.execPath, args, env, stdio });
};
const env = { PATH: "/usr/bin:/bin:/usr/sbin:/sbin", HOME: home };

const beside = `require("net").createServer((s) => s.end("${secret}")).listen(0, "127.0.0.1", function () { console.log(this.address().port) })`;
const neighbour = start("two", ["--eval", beside], env);
const otherPort = await new Promise<number>((resolve) =>
  neighbour.stdout?.once("data", (chunk) => resolve(Number(chunk))),
);
// A secret on the command line and in the environment of another program of the person.
const victim = spawn("/bin/sh", ["-c", "read end", secret], {
  env: { SECRET: secret },
  stdio: ["pipe", "ignore", "ignore"],
});

const disks = [...readFileSync("/proc/partitions", "utf8").matchAll(/[a-z]\w+$/gm)]
  .map(([name]) => `/dev/${name}`)
  .filter((path) => existsSync(path) && !path.includes("loop"));
const scope = "/proc/sys/kernel/yama/ptrace_scope";
const told = {
  home,
  data: facts.data,
  other: join(facts.data, "workspaces/two"),
  workspace,
  secret,
  hostPid: process.pid,
  port,
  otherPort,
  datagrams: datagramSocket.address().port,
  abstract: name,
  temporary,
  shared,
  segment,
  keyName: name,
  hostname: hostname(),
  arch: process.arch,
  ran: join(root, "ran"),
  disk: disks.find((path) => spawnSync("dd", [`if=${path}`, "count=0"]).status === 0) ?? null,
  isRootInside: isBubblewrap && user.uid === 0,
  hasTrigger: existsSync("/proc/sysrq-trigger"),
  asRoot: process.getuid?.() === 0,
  traceScope: existsSync(scope) ? readFileSync(scope, "utf8").trim() : "0",
};
const toldIn = join(workspace, "told.json");
writeFileSync(toldIn, JSON.stringify(told));
const child = start("one", [join(workspace, "probes.mjs"), toldIn], env);
const said = JSON.parse(await text(child.stdout as NodeJS.ReadableStream));

const status = spawnSync("git", ["-c", "safe.directory=*", "-C", workspace, "status"]);
if (isBubblewrap && status.status !== 0) throw new Error(`Git is broken: ${status.stderr}`);
const holds = (path: string, words: string) =>
  existsSync(path) && readFileSync(path, "utf8").includes(words);
const outside: Record<string, boolean> = {
  "write the journal": holds(join(facts.data, "journal.db"), "forged"),
  "write another session's workspace": existsSync(join(told.other, "forged")),
  "write beside the workspace": existsSync(join(dirname(workspace), "forged")),
  "write the person's .bashrc": holds(join(home, ".bashrc"), "forged"),
  "plant a program that starts with the desktop": existsSync(
    join(home, ".config/autostart/forged.desktop"),
  ),
  "change a tool on the PATH": holds(join(home, ".local/bin/tool"), "forged"),
  "signal the host": signals > 0,
  "slow the host down": getPriority() === 7,
  "send a datagram to the host": datagrams > 0,
  "plant a git hook": existsSync(join(workspace, ".git/hooks/post-checkout")),
  "plant a git setting": holds(join(workspace, ".git/config"), "forged"),
  "plant a git setting of the work tree": holds(join(workspace, ".git/config.worktree"), "forged"),
  "plant a git attribute": existsSync(join(workspace, ".git/info/attributes")),
  "plant a submodule": existsSync(join(workspace, ".git/modules/m/config")),
  "lead the person's git to settings in the workspace": existsSync(told.ran),
};
const succeeded = [...said.succeeded, ...Object.keys(outside).filter((one) => outside[one])];
victim.kill();
await sandboxes.release("two");
neighbour.kill("SIGKILL");
spawnSync("ipcrm", ["-m", segment]);
for (const path of [temporary, shared]) spawnSync("rm", ["-f", path]);
person.remove();
process.stdout.write(`${JSON.stringify({ attempted: said.attempted, succeeded })}\n`, () =>
  process.exit(0),
);
