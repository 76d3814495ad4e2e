import { existsSync, readdirSync, readFileSync, statSync, symlinkSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { readDiff } from "./diff.ts";
import { withGit } from "./git.ts";
import { readStatus } from "./status.ts";
import { hostileRepository } from "./testing/hostile.ts";
import { git, newFolder, newRepository, removeFolders, write } from "./testing/repo.ts";

afterEach(removeFolders);

/** All that lies in a folder: names, times and contents. */
function traceOf(dir: string): string[] {
  return readdirSync(dir, { recursive: true, encoding: "utf8" })
    .sort()
    .map((name) => {
      const { mtimeMs, size, mode } = statSync(join(dir, name));
      return `${name} ${mtimeMs} ${size} ${mode}`;
    });
}

describe("[S10] a repository that runs something wherever git lets it", () => {
  test("runs nothing when it is looked at, and is not written to", async () => {
    const { dir, ran } = hostileRepository();
    ran();
    const before = traceOf(dir);
    const status = await readStatus(dir);
    const diff = await readDiff(dir, "");
    const one = await readDiff(dir, "a.txt");
    expect(ran()).toEqual([]);
    expect(traceOf(dir)).toEqual(before);
    expect(status).toMatchObject({ branch: "main", head: git(dir, "rev-parse", "HEAD") });
    expect(status?.dirty).toEqual(["a.txt", "b.bin", ".gitattributes", "new.txt"]);
    expect(diff?.files.map(({ path }) => path)).toEqual([
      ...[".gitattributes", "a.txt", "b.bin", "new.txt"],
    ]);
    expect(one?.files[0]?.patch).toContain("-one\n+ONE\n");
  });

  test("runs a good deal of it under git as it comes: the test can fail", () => {
    const { dir, ran } = hostileRepository();
    ran();
    try {
      git(dir, "status", "--porcelain");
      git(dir, "diff");
    } catch {
      // Its filters answer with nonsense.
    }
    expect(ran()).toEqual(expect.arrayContaining(["clean", "include"]));
  });

  test("reads no other repository that its files lead to", async () => {
    const secret = newRepository({ "secret.txt": "secret\n" });
    const objects = join(secret, ".git/objects");
    const pointed = newFolder();
    write(pointed, { ".git": `gitdir: ${secret}/.git\n` });
    expect(await readDiff(pointed, "")).toBeNull();
    const common = newRepository({ "a.txt": "a\n" });
    write(common, { ".git/commondir": `${secret}/.git\n` });
    expect((await readDiff(common, ""))?.files).toEqual([]);
    const borrowing = newRepository({ "a.txt": "a\n" });
    write(borrowing, { ".git/objects/info/alternates": `${objects}\n` });
    await expect(readStatus(borrowing)).rejects.toMatchObject({ code: "repository_unreadable" });
    const ownTree = newRepository({ "a.txt": "a\n" });
    git(ownTree, "worktree", "add", "-q", "inner");
    write(ownTree, { ".git/objects/info/alternates": `${objects}\n` });
    await expect(readStatus(join(ownTree, "inner"))).rejects.toMatchObject({
      code: "repository_unreadable",
    });
    const linked = newFolder();
    write(linked, { ".git/HEAD": "ref: refs/heads/main\n" });
    symlinkSync(objects, join(linked, ".git/objects"));
    await expect(readStatus(linked)).rejects.toMatchObject({ code: "repository_unreadable" });
    const refs = newFolder();
    write(refs, { ".git/HEAD": "ref: refs/heads/main\n" });
    symlinkSync(join(secret, ".git/refs"), join(refs, ".git/refs"));
    await expect(readStatus(refs)).rejects.toMatchObject({ code: "path_outside" });
    const climbing = newFolder();
    write(climbing, { ".git/HEAD": "ref: refs/../../../secret\n" });
    await expect(readStatus(climbing)).rejects.toMatchObject({ code: "repository_unreadable" });
    const whole = newFolder();
    symlinkSync(join(secret, ".git"), join(whole, ".git"));
    expect(await readStatus(whole)).toBeNull();
  });
});

test("the file system above the workspace is nobody's repository", async () => {
  const outer = newRepository({ "inner/a.txt": "a\n" });
  expect(await readStatus(join(outer, "inner"))).toBeNull();
});

test("a work tree counts when its repository knows of it", async () => {
  const main = newRepository({ "a.txt": "a\n" });
  const tree = join(newFolder(), "tree");
  git(main, "worktree", "add", "-q", "-b", "side", tree);
  write(tree, { "a.txt": "b\n" });
  expect(await readStatus(tree)).toMatchObject({ branch: "side", dirty: ["a.txt"] });
  expect((await readDiff(tree, ""))?.files).toMatchObject([
    { path: "a.txt", added: 1, removed: 1 },
  ]);
});

test("HEAD is found in packed refs, on a commit of its own, and before the first commit", async () => {
  const dir = newRepository({ "a.txt": "a\n" });
  const head = git(dir, "rev-parse", "HEAD");
  git(dir, "pack-refs", "--all");
  expect(existsSync(join(dir, ".git/refs/heads/main"))).toBe(false);
  expect(await readStatus(dir)).toMatchObject({ branch: "main", head, dirty: [], diffStat: "" });
  git(dir, "checkout", "-q", "--detach");
  expect(await readStatus(dir)).toMatchObject({ branch: null, head });
  const young = newRepository();
  expect(await readStatus(young)).toMatchObject({ branch: "main", head: null, dirty: [] });
  write(young, { "a.txt": "a\n" });
  expect(await readStatus(young)).toMatchObject({ head: null, dirty: ["a.txt"] });
  expect((await readDiff(young, ""))?.files).toMatchObject([{ kind: "untracked", added: 1 }]);
});

test("what takes too long is ended with all it started, and what says too much is cut", async () => {
  const dir = newRepository({ "a.txt": "a\n" });
  await withGit(dir, async ({ run }) => {
    const pid = join(newFolder(), "pid");
    const slow = ["/bin/sh", "-c", `sleep 60 & echo $! > ${pid}; wait`];
    await expect(run(slow, { ms: 300, bytes: 10 })).rejects.toThrow("more than 0.3 s");
    expect(existsSync(`/proc/${readFileSync(pid, "utf8").trim()}/cwd`)).toBe(false);
    const much = await run(["/usr/bin/yes"], { ms: 5000, bytes: 10 });
    expect(much).toMatchObject({ isCut: true, stdout: Buffer.from("y\ny\ny\ny\ny\n") });
  });
});

test("the copied index is no younger than it was, or a quick change of the same size is missed", async () => {
  const dir = newRepository({ "a.txt": "a\n" });
  const written = 1_600_000_000;
  utimesSync(join(dir, ".git/index"), written + 0.5, written + 0.5);
  const output = await withGit(dir, ({ run }) =>
    run(["/bin/sh", "-c", 'stat -c %.Y "$GIT_DIR/index"'], { ms: 5000, bytes: 100 }),
  );
  expect(Number(output?.stdout)).toBe(written);
});
