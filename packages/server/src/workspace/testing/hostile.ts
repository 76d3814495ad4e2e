/** A repository that runs a program in every way that git offers. */

import { appendFileSync, chmodSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { git, newFolder, newRepository, write } from "./repo.ts";

export interface Hostile {
  readonly dir: string;
  /** The programs that ran since the last call. */
  ran(): string[];
}

const ways = [
  ...["clean", "smudge", "process", "fsmonitor", "hook", "external", "command", "textconv"],
  ...["pager", "ssh", "credential", "askpass", "editor", "alias", "include", "refs", "submodule"],
];

export function hostileRepository(): Hostile {
  const files = { "a.txt": "one\n", "b.bin": "two\n", "lib/c.txt": "three\n" };
  const dir = newRepository(files);
  const canaries = newFolder();
  const touch = (way: string) => join(canaries, `${way}.sh`);
  for (const way of ways) {
    write(canaries, { [`${way}.sh`]: `#!/bin/sh\ntouch ${canaries}/${way}.ran\ncat\n` });
    chmodSync(touch(way), 0o755);
  }
  addSubmodule(dir, touch("submodule"));
  appendFileSync(join(dir, ".git/config"), configOf(dir, touch));
  write(dir, {
    ".git/evil.config": `[core]\n\tfsmonitor = ${touch("include")}\n`,
    ".gitattributes": "* filter=evil diff=evil\n",
    ".git/info/attributes": "*.bin filter=evil diff=evil\n",
    "a.txt": "ONE\n",
    "b.bin": "TWO\n",
    "new.txt": "new\n",
  });
  mkdirSync(join(dir, ".git/hooks"), { recursive: true });
  for (const hook of ["post-index-change", "fsmonitor-watchman", "pre-commit"]) {
    write(dir, { [`.git/hooks/${hook}`]: `#!/bin/sh\ntouch ${canaries}/hook.ran\n` });
    chmodSync(join(dir, ".git/hooks", hook), 0o755);
  }
  return {
    dir,
    ran: () =>
      ways.filter((way) => {
        const has = existsSync(join(canaries, `${way}.ran`));
        rmSync(join(canaries, `${way}.ran`), { force: true });
        return has;
      }),
  };
}

function configOf(dir: string, touch: (way: string) => string): string {
  return `[core]
	fsmonitor = ${touch("fsmonitor")}
	hooksPath = ${dir}/.git/hooks
	pager = ${touch("pager")}
	sshCommand = ${touch("ssh")}
	askPass = ${touch("askpass")}
	editor = ${touch("editor")}
	alternateRefsCommand = ${touch("refs")}
[filter "evil"]
	clean = ${touch("clean")}
	smudge = ${touch("smudge")}
	required = true
[diff]
	external = ${touch("external")}
[diff "evil"]
	command = ${touch("command")}
	textconv = ${touch("textconv")}
[credential]
	helper = ${touch("credential")}
[alias]
	status = !${touch("alias")}
[include]
	path = evil.config
`;
}

/** Adds a submodule with a filter of its own, and a setting that makes git read it. */
function addSubmodule(dir: string, touch: string): void {
  const other = newRepository({ "s.txt": "s\n" });
  git(dir, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", other, "sub");
  git(dir, "config", "-f", ".gitmodules", "submodule.sub.ignore", "none");
  git(dir, "config", "submodule.sub.ignore", "none");
  git(dir, "add", "-A");
  git(dir, "commit", "-q", "-m", "sub");
  appendFileSync(join(dir, ".git/modules/sub/config"), `[core]\n\tfsmonitor = ${touch}\n`);
  write(join(dir, "sub"), { "s.txt": "S\n" });
}
