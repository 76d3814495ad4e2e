import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { readConfigFile } from "./config-file.ts";
import { closeToOthers } from "./private-data.ts";

const root = mkdtempSync(join(tmpdir(), "holdfast-private-"));
afterEach(() => rmSync(root, { recursive: true, force: true }));

test("a data directory that others could write to is closed, and that is said [S16]", () => {
  mkdirSync(join(root, "data"), { recursive: true });
  const data = join(root, "data");
  writeFileSync(join(data, "journal.db"), "");
  writeFileSync(join(data, "journal.db-wal"), "");
  writeFileSync(join(data, "notes.txt"), "");
  chmodSync(data, 0o777);
  chmodSync(join(data, "journal.db"), 0o666);
  chmodSync(join(data, "journal.db-wal"), 0o644);
  chmodSync(join(data, "notes.txt"), 0o644);
  const said: string[] = [];
  closeToOthers(data, (line) => said.push(line));
  const modes = ["", "journal.db", "journal.db-wal", "notes.txt"].map(
    (name) => statSync(join(data, name)).mode & 0o777,
  );
  expect(modes).toEqual([0o700, 0o600, 0o600, 0o644]);
  expect(said.map((line) => line.split(" ")[0])).toEqual([data, join(data, "journal.db")]);
  closeToOthers(data, (line) => said.push(line));
  expect(said).toHaveLength(2);
  closeToOthers(join(root, "none"), (line) => said.push(line));
  expect(said).toHaveLength(2);
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
    // What a umask of 002 makes of it, in a directory that is the host's own.
    chmodSync(root, 0o700);
    expect(readConfigFile(root)).toEqual({});
    chmodSync(root, 0o755);
    chmodSync(path, 0o644);
    expect(readConfigFile(root)).toEqual({});
  },
);
