import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { readConfigFile } from "./config-file.ts";
import { closeToOthers } from "./private-data.ts";

const root = mkdtempSync(join(tmpdir(), "holdfast-private-"));
afterEach(() => rmSync(root, { recursive: true, force: true }));

test("a data directory that others could write to is closed, with a warning [S16]", () => {
  mkdirSync(join(root, "data"), { recursive: true });
  const data = join(root, "data");
  writeFileSync(join(data, "journal.db"), "");
  writeFileSync(join(data, "journal.db-wal"), "");
  chmodSync(data, 0o777);
  chmodSync(join(data, "journal.db"), 0o666);
  chmodSync(join(data, "journal.db-wal"), 0o644);
  mkdirSync(join(data, "holders"));
  const said: string[] = [];
  closeToOthers(data, (line) => said.push(line));
  const modes = ["", "journal.db", "journal.db-wal"].map(
    (name) => statSync(join(data, name)).mode & 0o777,
  );
  expect(modes).toEqual([0o700, 0o600, 0o600]);
  expect(said.map((line) => line.split(" ")[0])).toEqual([data, join(data, "journal.db")]);
  expect(said[0]).toContain("Now only you can use it");
  closeToOthers(data, (line) => said.push(line));
  expect(said).toHaveLength(2);
  closeToOthers(join(root, "none"), (line) => said.push(line));
  expect(said).toHaveLength(2);
});

const modeOf = (path: string) => statSync(path).mode & 0o7777;

/** A directory that holds files of another project. */
function project(mode: number): string {
  const dir = join(root, "project");
  mkdirSync(join(dir, "agents"), { recursive: true });
  writeFileSync(join(dir, "config.json"), "{}");
  writeFileSync(join(dir, "index.ts"), "");
  chmodSync(join(dir, "agents"), 0o755);
  chmodSync(join(dir, "config.json"), 0o644);
  chmodSync(dir, mode);
  return dir;
}

test("a folder with other files keeps its rights, before a host ran in it and after [S16]", () => {
  const dir = project(0o755);
  const modes = () => [dir, join(dir, "agents"), join(dir, "index.ts")].map(modeOf);
  const before = modes();
  closeToOthers(dir, () => {});
  expect([...modes(), modeOf(join(dir, "config.json"))]).toEqual([...before, 0o644]);
  writeFileSync(join(dir, "journal.db"), "");
  chmodSync(join(dir, "journal.db"), 0o644);
  closeToOthers(dir, () => {});
  expect(modes()).toEqual(before);
  expect(modeOf(join(dir, "journal.db"))).toBe(0o600);
});

test("a folder with other files that others can write to is refused, and stays as it is [S16]", () => {
  for (const mode of [0o775, 0o777, 0o1777]) {
    const dir = project(mode);
    expect(() => closeToOthers(dir, () => {})).toThrow(/Name a new or empty directory/);
    expect(modeOf(dir)).toBe(mode);
  }
  const shared = project(0o1777);
  writeFileSync(join(shared, "journal.db"), "");
  expect(() => closeToOthers(shared, () => {})).toThrow(/Name a new or empty directory/);
  expect(modeOf(shared)).toBe(0o1777);
});

test("others lose only the right to write to a data directory that holds other files, too [S16]", () => {
  const dir = project(0o2777);
  writeFileSync(join(dir, "lock.db"), "");
  const said: string[] = [];
  closeToOthers(dir, (line) => said.push(line));
  expect(modeOf(dir)).toBe(0o2755);
  expect(said).toEqual([expect.stringContaining("Now they can still read it")]);
});

test("a directory as empty as a new disk becomes private, and keeps its special bits [S16]", () => {
  const dir = join(root, "empty");
  mkdirSync(dir, { recursive: true });
  mkdirSync(join(dir, "lost+found"), { recursive: true });
  chmodSync(dir, 0o2755);
  closeToOthers(dir, () => {});
  expect(modeOf(dir)).toBe(0o2700);
});

test.skipIf(process.platform === "win32")(
  "a config.json that others can write is not read [S16]",
  () => {
    mkdirSync(root, { recursive: true });
    const path = join(root, "config.json");
    writeFileSync(path, "{}");
    chmodSync(path, 0o664);
    chmodSync(root, 0o755);
    expect(() => readConfigFile(root)).toThrow(/chmod go-w/);
    // The mode that a umask of 002 gives, in a directory that only the host's user can enter.
    chmodSync(root, 0o700);
    expect(readConfigFile(root)).toEqual({});
    chmodSync(root, 0o755);
    chmodSync(path, 0o644);
    expect(readConfigFile(root)).toEqual({});
  },
);
