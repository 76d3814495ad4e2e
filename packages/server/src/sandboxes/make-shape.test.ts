import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { realDisk } from "./disk.ts";
import { shapeOf } from "./make-shape.ts";
import type { Mount, Shape, ShapeFacts } from "./shape.ts";
import { personsMachine } from "./testing/shape-facts.ts";

let person: ReturnType<typeof personsMachine>;

beforeEach(() => {
  person = personsMachine();
});
afterEach(() => person.remove());

function made(over: Partial<ShapeFacts> = {}): Shape {
  const shape = shapeOf({ ...person.facts, ...over }, realDisk);
  if ("refused" in shape) throw new Error(shape.message);
  return shape;
}

const refusedFor = (over: Partial<ShapeFacts>) => shapeOf({ ...person.facts, ...over }, realDisk);

/** The last mount at a path, which is the one that counts. */
const at = (shape: Shape, path: string): Mount | undefined =>
  shape.mounts.findLast((mount) => mount.path === path);

const shownBelow = (shape: Shape, folder: string) =>
  shape.mounts.filter(({ path }) => path.startsWith(`${folder}/`)).map(({ path }) => path);

describe("a shape", () => {
  test("has the private home and /tmp of the session where the person's own would be", () => {
    const { home, session, workspace } = person;
    const shape = made();
    const own = { kind: "write", make: true };
    expect(at(shape, home)).toEqual({ ...own, path: home, from: join(session, "home") });
    expect(at(shape, "/tmp")).toEqual({ ...own, path: "/tmp", from: join(session, "tmp") });
    expect(at(shape, workspace)).toEqual({ kind: "write", path: workspace, from: workspace });
    expect(shape.cwd).toBe(workspace);
  });

  test("names its own user and no other of the machine", () => {
    const user = { name: "user", uid: 4711, gid: 4712 };
    const passwd = at(made({ user }), "/etc/passwd");
    expect(passwd).toMatchObject({
      kind: "file",
      text: `root:x:0:0:root:/:/bin/sh\nuser:x:4711:4712::${person.home}:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n`,
    });
  });

  test("shows of /etc a list, without shadow, keys and the machine's resolver", () => {
    const shown = shownBelow(made(), "/etc");
    expect(shown).toEqual(expect.arrayContaining(["/etc/hosts", "/etc/ld.so.cache"]));
    const hidden = [
      "/etc/shadow",
      "/etc/ssh",
      "/etc/ssl/private",
      "/etc/resolv.conf",
      "/etc/gitconfig",
    ];
    expect(shown.filter((path) => hidden.includes(path))).toEqual([]);
    expect(at(made(), "/etc")).toBeUndefined();
  });

  test("stands with parents before what lies in them", () => {
    const tool = person.file("home/.cargo/bin/tool");
    const paths = made({ path: join(tool, "..") }).mounts.map(({ path }) => path);
    for (const [index, path] of paths.entries()) {
      const later = paths.slice(index + 1);
      expect(later.filter((other) => path.startsWith(`${other}/`))).toEqual([]);
    }
  });
});

describe("tools", () => {
  test.each([
    [".nvm/versions/node/v24.1.0/bin", [".nvm/versions/node/v24.1.0"]],
    [".cargo/bin", [".cargo/bin", ".rustup"]],
    [".pyenv/shims", [".pyenv"]],
    [".local/share/mise/shims", [".local/share/mise/installs", ".local/share/mise/shims"]],
    ["go/bin", ["go/bin"]],
    ["scripts", ["scripts"]],
  ])("on the PATH at ~/%s show %j, read-only", (entry, roots) => {
    const { home, file } = person;
    for (const folder of [entry, ...roots]) file(`home/${folder}/x`);
    file("home/.nvm/versions/node/v22.0.0/bin/node");
    const shape = made({ path: `/usr/bin:${join(home, entry)}` });
    const read = shape.mounts.filter(({ kind, path }) => kind === "read" && path.startsWith(home));
    expect(read.map(({ path }) => path).sort()).toEqual(
      roots.map((root) => join(home, root)).sort(),
    );
  });

  test("that are links show the place they lead to, and none that is denied", () => {
    const { home, file, root } = person;
    const program = file("home/.local/share/claude/versions/2.1/claude", "", 0o755);
    const elsewhere = file("elsewhere/node_modules/agent/cli.js");
    mkdirSync(join(home, ".local/bin"), { recursive: true });
    symlinkSync(program, join(home, ".local/bin/claude"));
    symlinkSync(file("home/.ssh/id_rsa", "key"), join(home, ".local/bin/key"));
    symlinkSync(elsewhere, join(root, "agent"));
    const shape = made({ path: join(home, ".local/bin"), programs: [join(root, "agent")] });
    expect(at(shape, program)).toMatchObject({ kind: "read", from: program });
    expect(at(shape, join(root, "elsewhere/node_modules"))).toMatchObject({ kind: "read" });
    expect(at(shape, join(root, "agent"))).toMatchObject({ kind: "read", from: elsewhere });
    expect(JSON.stringify(shape.mounts)).not.toContain(".ssh");
  });

  test("that are gone are named before anything starts", () => {
    const program = join(person.root, "gone");
    expect(refusedFor({ programs: [program] })).toEqual({
      refused: "path_missing",
      path: program,
      message: `${program} is not there. Install it again, or take it out of the settings.`,
    });
  });
});

describe("a denied path", () => {
  test.each([
    ["itself", () => ["~/.ssh"], ".ssh"],
    ["below it", () => ["~/.ssh/keys"], ".ssh"],
    ["a parent", () => ["~"], ".ssh"],
    ["a parent of the home", () => ["/"], ".ssh"],
    ["a parent of another", () => ["~/.config"], ".config/age"],
    ["the host's data", () => [person.facts.data], "../data"],
    ["another session", () => [join(person.facts.data, "workspaces/two")], "../data"],
  ])("is refused as %s, read or write, with a sentence that names it", (_how, entries, shown) => {
    person.file("home/.ssh/keys/one");
    person.file("home/.config/gh/hosts.yml");
    mkdirSync(join(person.facts.data, "workspaces/two"));
    for (const kind of ["read", "write"]) {
      const refused = refusedFor({ [kind]: entries() });
      expect(refused).toMatchObject({ refused: "path_denied" });
      const { message } = refused as { message: string };
      expect(message).toContain(join(person.home, shown));
      expect(message).toMatch(/never shown in a sandbox\. Name a folder without it\.$/);
    }
  });

  test("is refused through a link, in both directions", () => {
    const { root, home, file } = person;
    file("home/.ssh/id_rsa");
    symlinkSync(join(home, ".ssh"), join(root, "innocent"));
    expect(refusedFor({ read: [join(root, "innocent")] })).toMatchObject({
      refused: "path_denied",
    });
    file("vault/keys/aws");
    symlinkSync(join(root, "vault/keys"), join(home, ".aws"));
    expect(refusedFor({ read: [join(root, "vault")] })).toMatchObject({ refused: "path_denied" });
  });

  test("is refused as a workspace in place, and as a program", () => {
    const { home, file } = person;
    const inPlace = { path: home, kind: "in-place", git: null } as const;
    expect(refusedFor({ workspace: inPlace })).toMatchObject({
      refused: "path_denied",
      path: home,
    });
    const another = {
      path: join(file("data/workspaces/two/file"), ".."),
      kind: "in-place",
      git: null,
    } as const;
    expect(refusedFor({ workspace: another })).toMatchObject({ refused: "path_denied" });
    const program = file("home/.docker/bin/tool");
    expect(refusedFor({ programs: [program] })).toMatchObject({ refused: "path_denied" });
  });
});

describe("folders in writable ones", () => {
  test("are pinned down to each mount, so that no link can take their place", () => {
    const { home, session, file } = person;
    file("home/.local/bin/tool");
    const shape = made({ path: join(home, ".local/bin") });
    expect(at(shape, join(home, ".local"))).toEqual({
      kind: "write",
      make: true,
      path: join(home, ".local"),
      from: join(session, "home/.local"),
    });
  });

  test("refuse a start over a link that an agent planted there", () => {
    const { home, session, file } = person;
    file("home/.local/bin/tool");
    mkdirSync(join(session, "home"));
    symlinkSync("/oldroot/etc", join(session, "home/.local"));
    expect(refusedFor({ path: join(home, ".local/bin") })).toMatchObject({
      refused: "link_planted",
      path: join(session, "home/.local"),
    });
  });
});

test("a workspace of the host's own that is a link is refused", () => {
  const { facts, home, file } = person;
  file("home/.ssh/id_rsa");
  const path = join(facts.data, "workspaces/linked");
  symlinkSync(join(home, ".ssh"), path);
  for (const kind of ["empty", "copy", "clone", "worktree"] as const) {
    const refused = refusedFor({ workspace: { path, kind, git: null } });
    expect(refused).toMatchObject({ refused: "link_planted", path });
  }
});

describe("the person's git directory", () => {
  const inPlace = (path: string): ShapeFacts["workspace"] => {
    const common = join(path, ".git");
    return { path, kind: "in-place", git: { common, own: common } };
  };

  test("in place is writable, except for what git runs; what is absent is covered by nothing", () => {
    const repository = join(person.root, "code");
    person.file("code/.git/config");
    person.file("code/.git/hooks/pre-commit");
    const shape = made({ workspace: inPlace(repository) });
    const git = (name: string) => join(repository, ".git", name);
    expect(at(shape, join(repository, ".git"))).toMatchObject({ kind: "write" });
    expect(at(shape, git("config"))).toEqual({
      kind: "read",
      path: git("config"),
      from: git("config"),
    });
    expect(at(shape, git("hooks"))).toMatchObject({ kind: "read", from: git("hooks") });
    for (const name of ["info", "modules"]) {
      expect(at(shape, git(name))).toEqual({ kind: "folder", path: git(name) });
    }
    expect(at(shape, git("config.worktree"))).toMatchObject({ kind: "file", text: "" });
    expect(at(shape, git("commondir"))).toMatchObject({ kind: "file", text: ".\n", make: true });
  });

  test("in place is refused when hooks are a link, which an agent could replace", () => {
    person.file("code/.git/config");
    symlinkSync("../hooks", join(person.root, "code/.git/hooks"));
    const refused = refusedFor({ workspace: inPlace(join(person.root, "code")) });
    expect(refused).toMatchObject({ refused: "link_planted" });
  });

  test("of a worktree is read-only, except for what a commit writes", () => {
    const common = join(person.root, "code/.git");
    const own = join(common, "worktrees/one");
    for (const name of [
      "config",
      "objects/x",
      "refs/heads/x",
      "logs/HEAD",
      "worktrees/one/commondir",
    ]) {
      person.file(`code/.git/${name}`);
    }
    const { path } = person.facts.workspace;
    person.file("data/workspaces/one/.git", `gitdir: ${own}\n`);
    const shape = made({ workspace: { path, kind: "worktree", git: { common, own } } });
    const kinds = (names: string[]) => names.map((name) => at(shape, join(common, name))?.kind);
    expect(at(shape, common)).toMatchObject({ kind: "read" });
    expect(kinds(["objects", "refs/heads", "worktrees/one"])).toEqual(["write", "write", "write"]);
    expect(kinds(["objects/info", "refs"])).toEqual(["folder", undefined]);
    expect(at(shape, join(common, "logs"))).toMatchObject({ from: person.facts.reflogs });
    expect(kinds(["worktrees/one/commondir", "worktrees/one/config.worktree"])).toEqual([
      ...["read", "file"],
    ]);
    expect(at(shape, join(path, ".git"))).toMatchObject({ kind: "read" });
  });
});
