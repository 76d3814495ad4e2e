import { execFileSync } from "node:child_process";
import { chmodSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { readDiff } from "./diff.ts";
import { git, lookAt, newRepository, removeFolders, write } from "./testing/repo.ts";

afterEach(removeFolders);

const lines = (count: number, word = "line") =>
  Array.from({ length: count }, (_, i) => `${word} ${i}\n`).join("");

describe("the diff against HEAD", () => {
  test.skipIf(process.platform !== "linux")(
    "names a new file whose name is not UTF-8, in quotes",
    async () => {
      const dir = newRepository({ "a.txt": "a\n" });
      write(dir, { "new.txt": "1\n" });
      writeFileSync(Buffer.concat([Buffer.from(`${dir}/caf`), Buffer.from([0xe9])]), "x");
      const diff = await readDiff(lookAt(dir), "");
      expect(diff).toMatchObject({
        files: [
          { path: "new.txt", kind: "untracked", added: 1 },
          { path: '"caf\\351"', kind: "untracked", patch: "", truncated: true },
        ],
        truncated: true,
      });
    },
  );

  test("lists each file with its kind, its counts and its patch", async () => {
    const dir = newRepository({
      "changed.txt": "a\nb\nc\n",
      "deleted.txt": "gone\n",
      "moved.txt": lines(20),
      "picture.png": Buffer.from("a\0b"),
      "became-link": "file\n",
      "run.sh": "#!\n",
    });
    write(dir, { "changed.txt": "a\nB\nc\nd\n", "staged.txt": "new\n", "new.txt": "1\n2\n" });
    write(dir, { "picture.png": Buffer.from("a\0c"), 'with\ttab\nand "more".txt': "x\n" });
    git(dir, "add", "staged.txt");
    rmSync(join(dir, "deleted.txt"));
    renameSync(join(dir, "moved.txt"), join(dir, "moved-here.txt"));
    rmSync(join(dir, "became-link"));
    symlinkSync("/etc/passwd", join(dir, "became-link"));
    chmodSync(join(dir, "run.sh"), 0o755);

    const diff = await readDiff(lookAt(dir), "");
    expect(diff).toMatchObject({ head: git(dir, "rev-parse", "HEAD"), truncated: false });
    const told = diff?.files.map(({ path, oldPath, kind, binary, added, removed }) => [
      ...[path, oldPath, kind, binary, added, removed],
    ]);
    expect(told).toEqual([
      ["became-link", null, "modified", false, 1, 1],
      ["changed.txt", null, "modified", false, 2, 1],
      ["deleted.txt", null, "deleted", false, 0, 1],
      ["moved-here.txt", "moved.txt", "renamed", false, 0, 0],
      ["new.txt", null, "untracked", false, 2, 0],
      ["picture.png", null, "modified", true, 0, 0],
      ["run.sh", null, "modified", false, 0, 0],
      ["staged.txt", null, "added", false, 1, 0],
      ['with\ttab\nand "more".txt', null, "untracked", false, 1, 0],
    ]);
    const patches = Object.fromEntries(diff?.files.map(({ path, patch }) => [path, patch]) ?? []);
    expect(patches["changed.txt"]).toContain("@@ -1,3 +1,4 @@\n a\n-b\n+B\n c\n+d\n");
    expect(patches["new.txt"]).toContain("@@ -0,0 +1,2 @@\n+1\n+2\n");
    // Links are not followed.
    expect(patches["became-link"]).toContain("-file\n");
    expect(patches["became-link"]).toContain("+/etc/passwd\n");
    expect(patches["picture.png"]).toContain("Binary files");
    expect(patches["run.sh"]).toContain("new mode 100755");
    expect(patches['with\ttab\nand "more".txt']).toContain("+x\n");
  });

  test("can be limited to one path, a file or a folder, whatever the name means to git", async () => {
    const dir = newRepository({ "a.txt": "a\n", "src/b.txt": "b\n", ":(top)*": "c\n" });
    write(dir, { "a.txt": "A\n", "src/b.txt": "B\n", "src/new.txt": "n\n", ":(top)*": "C\n" });
    const paths = async (path: string) =>
      (await readDiff(lookAt(dir), path))?.files.map((f) => f.path);
    expect(await paths("a.txt")).toEqual(["a.txt"]);
    expect(await paths("src")).toEqual(["src/b.txt", "src/new.txt"]);
    expect(await paths(":(top)*")).toEqual([":(top)*"]);
    expect(await paths("--help")).toEqual([]);
  });

  test("leaves out ignored files and nested repositories", async () => {
    const dir = newRepository({ ".gitignore": "out/\n" });
    write(dir, { "out/x": "x", ".git/info/exclude": "*.tmp\n", "a.tmp": "t", "inner/a": "a" });
    git(join(dir, "inner"), "init", "-q");
    expect((await readDiff(lookAt(dir), ""))?.files).toEqual([]);
  });

  test("lists a file in conflict once", async () => {
    const dir = newRepository({ "a.txt": "a\n", "b.txt": "b\n" });
    git(dir, "checkout", "-q", "-b", "side");
    write(dir, { "a.txt": "side\n" });
    git(dir, "commit", "-qam", "side");
    git(dir, "checkout", "-q", "main");
    write(dir, { "a.txt": "main\n" });
    git(dir, "commit", "-qam", "main");
    expect(() => git(dir, "merge", "side")).toThrow();
    write(dir, { "b.txt": "B\n" });
    const files = (await readDiff(lookAt(dir), ""))?.files;
    expect(files).toMatchObject([
      { path: "a.txt", kind: "modified", patch: expect.stringContaining("+<<<<<<< HEAD\n") },
      { path: "b.txt", kind: "modified", patch: expect.stringContaining("-b\n+B\n") },
    ]);
  });

  test.each([
    ["a carriage return", "\r"],
    ["a line separator", "\u2028"],
    ["a paragraph separator", "\u2029"],
  ])("of a file is not what another one's content says, after %s [S10]", async (_, end) => {
    const dir = newRepository({ "a.txt": "a\n", "b.txt": "b\n", "c.txt": "c\n" });
    const forged = `x${end}diff --git a/b.txt b/b.txt${end}--- a/b.txt\n`;
    const unmerged = `x${end}* Unmerged path b.txt\n`;
    write(dir, { "a.txt": forged + unmerged, "b.txt": "B\n", "c.txt": "C\n" });
    expect((await readDiff(lookAt(dir), ""))?.files).toMatchObject([
      { path: "a.txt", patch: expect.stringContaining(`+${forged}+${unmerged}`) },
      { path: "b.txt", patch: expect.stringMatching(/^diff --git a\/b.txt .*\n-b\n\+B\n$/s) },
      { path: "c.txt", patch: expect.stringMatching(/^diff --git a\/c.txt .*\n-c\n\+C\n$/s) },
    ]);
  });

  test("shows a file as deleted when a pipe has replaced it, without blocking on the pipe", async () => {
    const dir = newRepository({ "a.txt": "a\n", "pipe.txt": "p\n" });
    rmSync(join(dir, "pipe.txt"));
    execFileSync("mkfifo", [join(dir, "pipe.txt"), join(dir, "other")]);
    write(dir, { "a.txt": "A\n" });
    expect((await readDiff(lookAt(dir), ""))?.files).toMatchObject([
      { path: "a.txt", kind: "modified" },
      { path: "pipe.txt", kind: "deleted" },
    ]);
  });
});

describe("a diff over the limits", () => {
  test("cuts the patch of one file at a line, and gives more of it when that file is asked for alone", async () => {
    const dir = newRepository({ "b.txt": "b\n" });
    write(dir, { "a.txt": lines(10_000), "b.txt": "B\n" });
    const all = await readDiff(lookAt(dir), "");
    expect(all).toMatchObject({ truncated: true });
    expect(all?.files).toMatchObject([
      { path: "a.txt", added: 10_000, truncated: true },
      { path: "b.txt", truncated: false, patch: expect.stringContaining("-b\n+B\n") },
    ]);
    expect(all?.files[0]?.patch.length).toBeLessThanOrEqual(64 * 1024);
    expect(all?.files[0]?.patch).toMatch(/\n\+line \d+\n$/);
    const one = await readDiff(lookAt(dir), "a.txt");
    expect(one).toMatchObject({ truncated: false, files: [{ truncated: false }] });
    expect(one?.files[0]?.patch).toContain("+line 9999\n");
  });

  test("leaves out later patches, and still names and counts their files", async () => {
    const dir = newRepository({ "z.txt": "z\n" });
    write(dir, { "a.txt": "x".repeat(5 * 1024 * 1024), "z.txt": "Z\n" });
    const all = await readDiff(lookAt(dir), "");
    expect(all).toMatchObject({ truncated: true });
    expect(all?.files).toMatchObject([
      { path: "a.txt", truncated: true, patch: expect.not.stringContaining("+x") },
      { path: "z.txt", added: 1, removed: 1, truncated: true, patch: "" },
    ]);
    expect((await readDiff(lookAt(dir), "z.txt"))?.files[0]).toMatchObject({ truncated: false });
  });

  test("only names files that are too large to read, and shows all others", async () => {
    const dir = newRepository({ "a.txt": "a\n", "grown.bin": "g\n", "staged.bin": "s\n" });
    write(dir, { "a.txt": "A\n", "new.bin": "" });
    truncateSync(join(dir, "staged.bin"), 9 * 1024 * 1024);
    git(dir, "add", "staged.bin");
    // Git would read each of these files for hours.
    for (const name of ["grown.bin", "new.bin", "staged.bin"])
      truncateSync(join(dir, name), 2 ** 40);
    const big = { binary: true, added: 0, removed: 0, patch: "", truncated: true };
    const all = await readDiff(lookAt(dir), "");
    expect(all?.files).toMatchObject([
      { path: "a.txt", kind: "modified", patch: expect.stringContaining("-a\n+A\n") },
      { path: "staged.bin", kind: "modified", binary: true },
      { ...big, path: "grown.bin", kind: "modified" },
      { ...big, path: "new.bin", kind: "untracked" },
    ]);
    expect(all?.truncated).toBe(true);
    const one = await readDiff(lookAt(dir), "new.bin");
    expect(one?.files).toMatchObject([{ ...big, path: "new.bin", kind: "untracked" }]);
  });

  test("names the first thousand files", async () => {
    const dir = newRepository({ "a.txt": "a\n" });
    write(dir, Object.fromEntries(Array.from({ length: 1100 }, (_, i) => [`n${i}`, "n\n"])));
    const all = await readDiff(lookAt(dir), "");
    expect(all?.files).toHaveLength(1000);
    expect(all?.truncated).toBe(true);
  });
});
