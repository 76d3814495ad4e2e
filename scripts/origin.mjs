// Identifies the commit and the checkout of a result, so that `npm run spec` counts only matching
// results.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, realpathSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";

/** The commit and checkout; `commit` is null without git, and such results do not count. */
export function originOf(root) {
  const commit = git(root, "rev-parse", "HEAD");
  const changes = git(root, "status", "--porcelain");
  const place = `${hostname()}:${realpathSync(root)}`;
  return {
    commit,
    checkout: createHash("sha256").update(place).digest("hex").slice(0, 16),
    dirty: changes !== "",
  };
}

/** Adds the origin to a result file of another program. `begun` is the origin at the start. */
export function stamp(file, root, begun) {
  const results = JSON.parse(readFileSync(file, "utf8"));
  writeFileSync(file, JSON.stringify({ ...results, origin: since(begun, originOf(root)) }));
}

/** A checkout that changed during the tests counts as changed. */
export function since(begun, now) {
  return { ...begun, dirty: begun.dirty || now.dirty || begun.commit !== now.commit };
}

function git(root, ...args) {
  const { status, stdout } = spawnSync("git", args, { cwd: root, encoding: "utf8" });
  return status === 0 ? stdout.trim() : null;
}
