import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
} from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { readDiff } from "./diff.ts";
import { withGit } from "./git.ts";
import { readStatus } from "./status.ts";
import { hostileRepository } from "./testing/hostile.ts";
import { git, lookAt, newFolder, newRepository, removeFolders, write } from "./testing/repo.ts";

afterEach(removeFolders);

const LIMITS = { ms: 60_000, bytes: 1000 };

/** Names, times, sizes and modes of all files in a folder. */
function traceOf(dir: string): string[] {
  return readdirSync(dir, { recursive: true, encoding: "utf8" })
    .sort()
    .map((name) => {
      const { mtimeMs, size, mode } = statSync(join(dir, name));
      return `${name} ${mtimeMs} ${size} ${mode}`;
    });
}

describe("[S10] a repository with a program in every place that git runs one", () => {
  test("runs none of them when it is read, and is not written to", async () => {
    const { dir, ran } = hostileRepository();
    ran();
    const before = traceOf(dir);
    const status = await readStatus(lookAt(dir));
    const diff = await readDiff(lookAt(dir), "");
    const one = await readDiff(lookAt(dir), "a.txt");
    expect(ran()).toEqual([]);
    expect(traceOf(dir)).toEqual(before);
    expect(status).toMatchObject({ branch: "main", head: git(dir, "rev-parse", "HEAD") });
    expect(status?.dirty).toEqual(["a.txt", "b.bin", ".gitattributes", "new.txt"]);
    expect(diff?.files.map(({ path }) => path)).toEqual([
      ...[".gitattributes", "a.txt", "b.bin", "new.txt"],
    ]);
    expect(one?.files[0]?.patch).toContain("-one\n+ONE\n");
  });

  test("runs many of them under plain git, which shows that the test can fail", () => {
    const { dir, ran } = hostileRepository();
    ran();
    try {
      git(dir, "status", "--porcelain");
      git(dir, "diff");
    } catch {
      // The hostile filters write invalid output.
    }
    expect(ran()).toEqual(expect.arrayContaining(["clean", "include"]));
  });

  test("gives no access to another repository that its files point to", async () => {
    const secret = newRepository({ "secret.txt": "secret\n" });
    const objects = join(secret, ".git/objects");
    const pointed = newFolder();
    write(pointed, { ".git": `gitdir: ${secret}/.git\n` });
    expect(await readDiff(lookAt(pointed), "")).toBeNull();
    const common = newRepository({ "a.txt": "a\n" });
    write(common, { ".git/commondir": `${secret}/.git\n` });
    expect((await readDiff(lookAt(common), ""))?.files).toEqual([]);
    const borrowing = newRepository({ "a.txt": "a\n" });
    write(borrowing, { ".git/objects/info/alternates": `${objects}\n` });
    await expect(readStatus(lookAt(borrowing))).rejects.toMatchObject({
      code: "repository_unreadable",
    });
    const ownTree = newRepository({ "a.txt": "a\n" });
    git(ownTree, "worktree", "add", "-q", "inner");
    write(ownTree, { ".git/objects/info/alternates": `${objects}\n` });
    await expect(readStatus(lookAt(join(ownTree, "inner")))).rejects.toMatchObject({
      code: "repository_unreadable",
    });
    const linked = newFolder();
    write(linked, { ".git/HEAD": "ref: refs/heads/main\n" });
    symlinkSync(objects, join(linked, ".git/objects"));
    await expect(readStatus(lookAt(linked))).rejects.toMatchObject({
      code: "repository_unreadable",
    });
    const head = git(secret, "rev-parse", "HEAD");
    const loose = join(head.slice(0, 2), head.slice(2));
    for (const link of [dirname(loose), loose, "pack", "pack/x.pack", "info/commit-graph"]) {
      const lending = newFolder();
      write(lending, { ".git/HEAD": `${head}\n` });
      mkdirSync(dirname(join(lending, ".git/objects", link)), { recursive: true });
      symlinkSync(join(objects, link), join(lending, ".git/objects", link));
      await expect(readDiff(lookAt(lending), ""), link).rejects.toThrow("there are links among");
    }
    const refs = newFolder();
    write(refs, { ".git/HEAD": "ref: refs/heads/main\n" });
    symlinkSync(join(secret, ".git/refs"), join(refs, ".git/refs"));
    await expect(readStatus(lookAt(refs))).rejects.toMatchObject({ code: "path_outside" });
    const climbing = newFolder();
    write(climbing, { ".git/HEAD": "ref: refs/../../../secret\n" });
    await expect(readStatus(lookAt(climbing))).rejects.toMatchObject({
      code: "repository_unreadable",
    });
    const whole = newFolder();
    symlinkSync(join(secret, ".git"), join(whole, ".git"));
    expect(await readStatus(lookAt(whole))).toBeNull();
  });
});

test("a repository above the workspace is not used", async () => {
  const outer = newRepository({ "inner/a.txt": "a\n" });
  expect(await readStatus(lookAt(join(outer, "inner")))).toBeNull();
});

describe("a workspace inside a person's repository", () => {
  test("shows only its own changes, by paths relative to it", async () => {
    const inner = { "in/a.txt": "a\n", "in/deep/b.txt": "b\n", "in/old.txt": "old\nold\nold\n" };
    const top = newRepository({ ...inner, "out.txt": "o\n", ".gitignore": "*.log\n" });
    write(top, { "in/a.txt": "A\n", "in/deep/new name.txt": "n\n", "in/x.log": "x\n" });
    write(top, { "out.txt": "O\n", "new.txt": "n\n" });
    git(top, "mv", "in/old.txt", "in/moved.txt");
    const look = { ...lookAt(join(top, "in")), upTo: top };
    const status = await readStatus(look);
    expect(status).toMatchObject({ branch: "main", head: git(top, "rev-parse", "HEAD") });
    expect(status?.dirty).toEqual(["a.txt", "old.txt -> moved.txt", '"deep/new name.txt"']);
    expect(status?.diffStat).toMatch(/^a.txt \| 2 \+-\n 1 file changed/);
    expect((await readDiff(look, ""))?.files).toMatchObject([
      { path: "a.txt", patch: expect.stringContaining("-a\n+A\n") },
      { path: "deep/new name.txt", kind: "untracked", added: 1 },
      { path: "moved.txt", oldPath: "old.txt", kind: "renamed" },
    ]);
    expect((await readDiff(look, "deep"))?.files).toHaveLength(1);
  });

  test("belongs to the nearest repository, and to none above the allowed folder", async () => {
    const top = newRepository({ "in/deep/a.txt": "a\n" });
    const look = (upTo: string) => ({ ...lookAt(join(top, "in/deep")), upTo });
    expect(await readStatus(look(join(top, "in")))).toBeNull();
    expect(await readStatus(look("/"))).toMatchObject({ branch: "main" });
    write(top, { "in/.git": "gitdir: ../.git/modules/in\n" });
    expect(await readStatus(look("/"))).toBeNull();
  });
});

test("a work tree is accepted when its repository lists it", async () => {
  const main = newRepository({ "a.txt": "a\n" });
  const tree = join(newFolder(), "tree");
  git(main, "worktree", "add", "-q", "-b", "side", tree);
  write(tree, { "a.txt": "b\n" });
  expect(await readStatus(lookAt(tree))).toMatchObject({ branch: "side", dirty: ["a.txt"] });
  expect((await readDiff(lookAt(tree), ""))?.files).toMatchObject([
    { path: "a.txt", added: 1, removed: 1 },
  ]);
});

test("HEAD is found in packed refs, on a detached commit, and before the first commit", async () => {
  const dir = newRepository({ "a.txt": "a\n" });
  const head = git(dir, "rev-parse", "HEAD");
  git(dir, "pack-refs", "--all");
  expect(existsSync(join(dir, ".git/refs/heads/main"))).toBe(false);
  expect(await readStatus(lookAt(dir))).toMatchObject({
    branch: "main",
    head,
    dirty: [],
    diffStat: "",
  });
  git(dir, "checkout", "-q", "--detach");
  expect(await readStatus(lookAt(dir))).toMatchObject({ branch: null, head });
  const young = newRepository();
  expect(await readStatus(lookAt(young))).toMatchObject({ branch: "main", head: null, dirty: [] });
  write(young, { "a.txt": "a\n" });
  expect(await readStatus(lookAt(young))).toMatchObject({ head: null, dirty: ["a.txt"] });
  expect((await readDiff(lookAt(young), ""))?.files).toMatchObject([
    { kind: "untracked", added: 1 },
  ]);
});

test("a command that takes too long is ended with all its children, and excessive output is cut", async () => {
  const dir = newRepository({ "a.txt": "a\n" });
  await withGit(lookAt(dir), async ({ run }) => {
    const pid = join(newFolder(), "pid");
    const slow = ["/bin/sh", "-c", `sleep 60 & echo $! > ${pid}; wait`];
    await expect(run(slow, { ms: 300, bytes: 10 })).rejects.toThrow("more than 0.3 s");
    expect(existsSync(`/proc/${readFileSync(pid, "utf8").trim()}/cwd`)).toBe(false);
    const much = await run(["/usr/bin/yes"], { ms: 5000, bytes: 10 });
    expect(much).toMatchObject({ isCut: true, stdout: Buffer.from("y\ny\ny\ny\ny\n") });
  });
});

test("a command whose client is gone is ended with all its children, and no further one starts", async () => {
  const gone = new AbortController();
  const look = { ...lookAt(newRepository({ "a.txt": "a\n" })), gone: gone.signal };
  await withGit(look, async ({ run }) => {
    const pipe = join(newFolder(), "pipe");
    execFileSync("mkfifo", [pipe]);
    const slow = ["/bin/sh", "-c", `sleep 60 & echo $! > ${pipe}; wait`];
    const ended = expect(run(slow, LIMITS)).rejects.toThrow("nobody");
    const pid = (await readFile(pipe, "utf8")).trim();
    gone.abort(new Error("nobody"));
    await ended;
    expect(existsSync(`/proc/${pid}/cwd`)).toBe(false);
    await expect(run(["/bin/rm", pipe], LIMITS)).rejects.toThrow("nobody");
    expect(existsSync(pipe)).toBe(true);
  });
  expect(readdirSync(look.scratch)).toEqual([]);
});

test("only a missing program is reported as not installed", async () => {
  const dir = newRepository({ "a.txt": "a\n" });
  await withGit(lookAt(dir), async ({ run }) => {
    await expect(run(["no-such-git"], LIMITS)).rejects.toThrow("no-such-git is not installed");
    await expect(run(["/etc/passwd"], LIMITS)).rejects.toThrow("git did not start (EACCES)");
    rmSync(dir, { recursive: true });
    await expect(run(["git"], LIMITS)).rejects.toThrow("git did not start (ENOENT)");
  });
});

test("the object format is read from the configuration before the first commit", async () => {
  const dir = newFolder();
  git(dir, "init", "-q", "-b", "main", "--object-format=sha256");
  write(dir, { "a.txt": "a\n", "b.txt": "b\n" });
  git(dir, "add", "b.txt");
  expect(await readStatus(lookAt(dir))).toMatchObject({ head: null, dirty: ["b.txt", "a.txt"] });
  const before = (await readDiff(lookAt(dir), ""))?.files;
  expect(before?.map(({ path, kind }) => [path, kind])).toEqual([
    ["a.txt", "untracked"],
    ["b.txt", "added"],
  ]);
  git(dir, "commit", "-qm", "first");
  expect(await readStatus(lookAt(dir))).toMatchObject({ head: git(dir, "rev-parse", "HEAD") });
  expect((await readDiff(lookAt(dir), ""))?.files).toMatchObject([{ path: "a.txt", added: 1 }]);
});

test("more dirty files than the limit leave HEAD known, and are reported as more", async () => {
  const dir = newRepository({ "a.txt": "a\n" });
  const long = "n".repeat(240);
  write(dir, Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`${long}${i}`, ""])));
  const status = await readStatus(lookAt(dir));
  expect(status?.head).toBe(git(dir, "rev-parse", "HEAD"));
  expect(status?.dirty.slice(-2)).toEqual([
    expect.stringMatching(/^and \d+ more$/),
    "and others that were not counted",
  ]);
});

test("the copied index keeps its time, or git would miss a quick change of the same size", async () => {
  const dir = newRepository({ "a.txt": "a\n" });
  const written = 1_600_000_000;
  utimesSync(join(dir, ".git/index"), written + 0.5, written + 0.5);
  const output = await withGit(lookAt(dir), ({ run }) =>
    run(["/bin/sh", "-c", 'stat -c %.Y "$GIT_DIR/index"'], { ms: 5000, bytes: 100 }),
  );
  expect(Number(output?.stdout)).toBe(written);
});

test.skipIf(process.platform !== "linux")(
  "a command of git cannot use all of the machine's memory [S10]",
  async () => {
    const script = "const held = []; for (;;) held.push(Buffer.alloc(64 << 20, 1));";
    const root = newRepository({ "a.txt": "a" });
    await withGit(lookAt(root), async ({ run }) => {
      const { stdout } = await run(["/bin/sh", "-c", "ulimit -v"], LIMITS);
      expect(Number(String(stdout))).toBeLessThanOrEqual(2 * 1024 * 1024);
      const { code } = await run([process.execPath, "-e", script], LIMITS);
      expect(code).not.toBe(0);
    });
  },
);
