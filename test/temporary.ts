/** Gives each test file a folder for its temporary files, and removes it when the file has ended. */

import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

const before = process.env.TMPDIR;
// A short name: paths of sockets have a limit.
const folder = mkdtempSync(join(tmpdir(), "hft-"));
// As open as /tmp, because some tests run a program as another user.
chmodSync(folder, 0o1777);
process.env.TMPDIR = folder;

// Hooks run in reverse order, so this one comes after those of the test file.
afterAll(() => {
  if (before === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = before;
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
});
