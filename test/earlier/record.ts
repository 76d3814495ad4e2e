/**
 * Keeps the sources of a landed version, so that tests can start its host and its holders:
 *
 *     node --conditions=holdfast-source test/earlier/record.ts COMMIT
 *
 * Run it on the commit before a change of events, tables, files or the holder protocol. Data and
 * living holders of every landed version stay usable, so a recording may go only when a later one has
 * the same holder, tables and files, and every event that it wrote.
 */

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { hostsFolder } from "./host.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
/** `web` is left out: a host without its page serves the API, and holders need no page. */
const packages = ["protocol", "server", "client", "cli"];
const needless = ["*.test.ts", "*.md", "test", "testing", "tsconfig*.json"];

function record(revision: string): string {
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", root, ...args], { maxBuffer: 1 << 28 });
  const commit = git("rev-parse", "--short=7", revision).toString().trim();
  const file = join(hostsFolder, `${commit}.tar.gz`);
  if (existsSync(file)) throw new Error(`${commit} is recorded already; recordings never change.`);
  const scratch = mkdtempSync(join(tmpdir(), "holdfast-record-"));
  try {
    const paths = packages.map((name) => `packages/${name}`);
    const all = git("archive", "--format=tar", commit, ...paths);
    execFileSync("tar", ["-x", "-C", scratch], { input: all });
    const tar = execFileSync(
      "tar",
      [
        ...needless.map((pattern) => `--exclude=${pattern}`),
        ...["--sort=name", "--mtime=@0", "--owner=0", "--group=0", "--numeric-owner"],
        ...["-c", "-C", scratch, "packages"],
      ],
      { maxBuffer: 1 << 28 },
    );
    mkdirSync(hostsFolder, { recursive: true });
    writeFileSync(file, gzipSync(tar, { level: 9 }));
  } finally {
    rmSync(scratch, { recursive: true });
  }
  return file;
}

const [revision] = process.argv.slice(2);
if (revision === undefined) {
  process.stderr.write("Which commit? For example: test/earlier/record.ts HEAD\n");
  process.exitCode = 2;
} else {
  process.stdout.write(`${record(revision)}\n`);
}
