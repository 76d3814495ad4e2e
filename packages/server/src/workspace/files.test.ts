import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { Worker } from "node:worker_threads";
import type { WorkspaceFolderView } from "@holdfast/protocol";
import { afterEach, describe, expect, test } from "vitest";
import { look, rawFile } from "./files.ts";
import { relativePath } from "./inside.ts";
import { newFolder, removeFolders, write } from "./testing/repo.ts";

afterEach(removeFolders);

test("a folder shows its entries, folders first; links with their target, and other entries unopened", async () => {
  const dir = newFolder();
  write(dir, { "b.txt": "four", "a.txt": "", "src/deep/c.txt": "c" });
  symlinkSync("/etc/passwd", join(dir, "link"));
  execFileSync("mkfifo", [join(dir, "pipe")]);
  expect(await look(dir, "")).toEqual({
    kind: "folder",
    path: "",
    entries: [
      { name: "src", kind: "folder", size: null, target: null },
      { name: "a.txt", kind: "file", size: 0, target: null },
      { name: "b.txt", kind: "file", size: 4, target: null },
      { name: "link", kind: "link", size: null, target: "/etc/passwd" },
      { name: "pipe", kind: "other", size: null, target: null },
    ],
    truncated: false,
  });
  expect(await look(dir, "src")).toMatchObject({ path: "src", entries: [{ name: "deep" }] });
});

test("a file shows its text, or its beginning when it is long, and says when it is binary", async () => {
  const dir = newFolder();
  // A character of two bytes lies across the limit.
  const long = `${"x".repeat(1024 * 1024 - 1)}ü and more`;
  write(dir, { "a.txt": "ü\n", long, "a.png": Buffer.from([137, 80, 0, 1]), empty: "" });
  const file = { kind: "file", binary: false, truncated: false };
  expect(await look(dir, "a.txt")).toEqual({ ...file, path: "a.txt", size: 3, text: "ü\n" });
  expect(await look(dir, "empty")).toMatchObject({ size: 0, text: "" });
  expect(await look(dir, "long")).toEqual({
    ...file,
    path: "long",
    size: Buffer.byteLength(long),
    truncated: true,
    text: "x".repeat(1024 * 1024 - 1),
  });
  expect(await look(dir, "a.png")).toEqual({
    ...file,
    path: "a.png",
    size: 4,
    binary: true,
    text: null,
  });
});

test("a file of a terabyte is read at its beginning only", async () => {
  const dir = newFolder();
  write(dir, { huge: "" });
  truncateSync(join(dir, "huge"), 2 ** 40);
  expect(await look(dir, "huge")).toMatchObject({ size: 2 ** 40, binary: true, text: null });
});

test("a folder with too many entries shows the first of them, and says so", async () => {
  const dir = newFolder();
  write(dir, Object.fromEntries(Array.from({ length: 1001 }, (_, i) => [`f${10_000 + i}`, ""])));
  const { entries, truncated } = (await look(dir, "")) as WorkspaceFolderView;
  expect([entries.length, entries.at(-1)?.name, truncated]).toEqual([1000, "f10999", true]);
});

test("bytes are served unchanged, up to the announced size", async () => {
  const dir = newFolder();
  write(dir, { "a.bin": Buffer.from([0, 255, 10]), empty: "" });
  const { size, stream } = await rawFile(dir, "a.bin");
  expect(size).toBe(3);
  write(dir, { "a.bin": Buffer.from([0, 255, 10, 7]) });
  expect(new Uint8Array(await new Response(await stream()).arrayBuffer())).toEqual(
    Uint8Array.of(0, 255, 10),
  );
  expect(await text(await (await rawFile(dir, "empty")).stream())).toBe("");
  mkdirSync(join(dir, "folder"));
  await expect(rawFile(dir, "folder")).rejects.toMatchObject({ code: "bad_input" });
});

test("bytes of a file that was deleted meanwhile are refused before the answer begins", async () => {
  const dir = newFolder();
  write(dir, { "a.txt": "a" });
  const { stream } = await rawFile(dir, "a.txt");
  rmSync(join(dir, "a.txt"));
  // A stream that fails later would log a stack for each such race.
  await expect((async () => void (await stream()))()).rejects.toMatchObject({ code: "not_found" });
});

test.skipIf(process.platform !== "linux")(
  "a name that is not UTF-8 is listed in quotes, and cannot be opened",
  async () => {
    const dir = newFolder();
    writeFileSync(Buffer.concat([Buffer.from(`${dir}/caf`), Buffer.from([0xe9])]), "x");
    const entry = { name: '"caf\\351"', kind: "other", size: null, target: null };
    expect(await look(dir, "")).toMatchObject({ entries: [entry], truncated: false });
    await expect(look(dir, entry.name)).rejects.toMatchObject({ code: "not_found" });
  },
);

describe("[S5] a way out of the workspace", () => {
  test.each([
    ["..", "path_outside"],
    ["../secret", "path_outside"],
    ["a/../../secret", "path_outside"],
    ["/etc/passwd", "path_outside"],
    ["//etc/passwd", "path_outside"],
    ["a\0b", "bad_input"],
    ["x".repeat(4097), "bad_input"],
  ])("is refused by its letters: %.20s", (path, code) => {
    expect(() => relativePath(path)).toThrow(expect.objectContaining({ code }));
  });

  test("is not seen in a name that only looks like one", () => {
    const names = ["..\\secret", "%2e%2e", "．．", "...", "a/./b", "a//b/", "__proto__"];
    expect(names.map(relativePath)).toEqual([
      ...["..\\secret", "%2e%2e", "．．", "...", "a/b", "a/b", "__proto__"],
    ]);
  });

  test("is refused by its real target: links to files, to folders, through others", async () => {
    const dir = newFolder();
    const other = newFolder();
    write(other, { "secret.txt": "secret", "folder/x": "x" });
    write(dir, { "in.txt": "in", "sub/a.txt": "a" });
    symlinkSync(join(other, "secret.txt"), join(dir, "file"));
    symlinkSync(other, join(dir, "folder"));
    symlinkSync("folder", join(dir, "twice"));
    symlinkSync("/proc/self", join(dir, "proc"));
    symlinkSync(`${dir}-beside`, join(dir, "nowhere"));
    symlinkSync("loop", join(dir, "loop"));
    for (const path of ["file", "folder", "folder/secret.txt", "twice/folder/x", "proc/environ"]) {
      await expect(look(dir, path)).rejects.toMatchObject({ code: "path_outside" });
      await expect(rawFile(dir, path)).rejects.toMatchObject({ code: "path_outside" });
    }
    await expect(look(dir, "nowhere")).rejects.toMatchObject({ code: "not_found" });
    await expect(look(dir, "loop")).rejects.toMatchObject({ code: "unreadable" });
    symlinkSync("../in.txt", join(dir, "sub/within"));
    expect(await look(dir, "sub/within")).toMatchObject({ text: "in" });
  });

  test("is not opened when it is a pipe or a socket", async () => {
    const dir = newFolder();
    execFileSync("mkfifo", [join(dir, "pipe")]);
    symlinkSync("pipe", join(dir, "link"));
    for (const path of ["pipe", "link"]) {
      await expect(look(dir, path)).rejects.toMatchObject({ code: "unreadable" });
    }
  });

  test("reveals no file while a folder is swapped for a link to another one", async () => {
    const dir = newFolder();
    const other = newFolder();
    write(dir, { "real/a.txt": "mine" });
    write(other, { "a.txt": "secret" });
    symlinkSync(other, join(dir, "link"));
    const swapping = new Worker(
      `const { renameSync } = require("node:fs"); const { join } = require("node:path");
       const { workerData: dir, parentPort } = require("node:worker_threads");
       const turn = (from, to) => renameSync(join(dir, from), join(dir, to));
       parentPort.postMessage("on");
       for (const end = Date.now() + 1000; Date.now() < end; ) {
         turn("real", "at"); turn("at", "real"); turn("link", "at"); turn("at", "link");
       }`,
      { eval: true, workerData: dir },
    );
    await once(swapping, "message");
    let isOver = false;
    const over = once(swapping, "exit").then(() => {
      isOver = true;
    });
    const seen = new Set<string>();
    while (!isOver) {
      const found = await look(dir, "at/a.txt").catch(({ code }: { code: string }) => code);
      seen.add(typeof found === "string" ? found : String("text" in found && found.text));
    }
    await over;
    expect(seen).not.toContain("secret");
    expect(seen).toContain("path_outside");
  });
});
