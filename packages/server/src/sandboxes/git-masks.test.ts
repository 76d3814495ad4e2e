import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { realDisk } from "./disk.ts";
import { bubblewrapSandboxes } from "./local-sandboxes.ts";
import { readMachine, sandboxUser } from "./machine.ts";
import { shapeOf } from "./make-shape.ts";
import { probeBubblewrap } from "./probe.ts";
import { personsMachine } from "./testing/shape-facts.ts";

const probe = await probeBubblewrap("/home/none");
const machine = await readMachine();

/** Commits, then writes settings before and after the person's own git has replaced them. */
const script = `
  set -e
  echo inside >file && git add file
  git -c user.name=a -c user.email=a@b commit -qm inside && echo committed
  git config core.fsmonitor evil 2>/dev/null || echo refused
  echo ready >&3; head -n 1 <&3 >/dev/null
  (echo evil >"$COMMON/config") 2>/dev/null || echo refused again
  (echo evil >"$COMMON/config.new") 2>/dev/null || echo no new file
  mv .git moved 2>/dev/null || echo pinned
  (echo /etc >"$COMMON/objects/info/alternates") 2>/dev/null || echo no alternates
  own=$(git rev-parse --git-dir)
  for log in "$COMMON/logs/HEAD" "$COMMON/logs/refs/heads/main" "$own/logs/HEAD"; do
    ln -sf "$VICTIM" "$log"
  done
  git reset -q --hard && git checkout -q -b more && git tag one && echo named
  echo changed >file; git stash -q 2>/dev/null || echo no stash
`;

test.skipIf(!probe.holds)(
  "an agent in a worktree commits, and cannot change what git runs or which files it logs to, also after the person's git did",
  async () => {
    const person = personsMachine();
    const { root, workspace, facts } = person;
    const code = join(root, "code");
    const identity = ["-c", "safe.directory=*", "-c", "user.name=a", "-c", "user.email=a@b"];
    const git = (...args: string[]) => execFileSync("git", ["-C", code, ...identity, ...args]);
    const victim = person.file("home/.bashrc", "");
    execFileSync("git", ["init", "-q", "-b", "main", code]);
    git("commit", "-q", "--allow-empty", "-m", "first");
    git("worktree", "add", "-q", "-b", "agent", workspace);
    if (machine === null) throw new Error("Bubblewrap is not installed.");
    const user = sandboxUser("git", machine);
    const ids = `${user.uid}:${user.gid}`;
    spawnSync("chown", ["-R", ids, workspace, join(code, ".git")]);
    const common = join(code, ".git");
    const own = join(common, "worktrees", "one");
    const shape = shapeOf(
      {
        ...facts,
        workspace: { path: workspace, kind: "worktree", git: { common, own } },
        environment: ["PATH", "HOME", "COMMON", "VICTIM"],
        user,
      },
      realDisk,
    );
    if ("refused" in shape) throw new Error(shape.message);
    const child = bubblewrapSandboxes(null, machine).spawn("git", shape, {
      command: "/bin/sh",
      args: ["-c", script],
      env: { PATH: "/usr/bin:/bin", HOME: person.home, COMMON: common, VICTIM: victim },
      stdio: ["ignore", "pipe", "inherit", "pipe"],
    });
    const line = child.stdio[3] as Duplex;
    line.once("data", () => {
      git("config", "person.was", "here");
      line.end("go\n");
    });
    const said = await text(child.stdout as NodeJS.ReadableStream);
    git("commit", "-q", "--allow-empty", "-m", "second");
    git("-C", workspace, "commit", "-q", "--allow-empty", "-m", "third");
    expect(readFileSync(victim, "utf8")).toBe("");
    expect(said.trim().split("\n")).toEqual([
      ...["committed", "refused", "refused again", "no new file", "pinned", "no alternates"],
      ...["named", "no stash"],
    ]);
    const config = readFileSync(join(common, "config"), "utf8");
    expect([config.includes("was = here"), config.includes("evil")]).toEqual([true, false]);
    expect(existsSync(join(common, "config.new"))).toBe(false);
    person.remove();
  },
);
