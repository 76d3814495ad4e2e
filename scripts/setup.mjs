// Installs dependencies when the lock file changed. Its first run is on the machine's own Node,
// so it keeps to plain syntax and needs nothing installed.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const stamp = join(root, "node_modules", ".holdfast-setup");
const lock = createHash("sha256")
  .update(readFileSync(join(root, "package-lock.json")))
  .digest("hex");

// stderr, because the stdout of `npm start -- --json` belongs to the ready line.
const say = (line) => process.stderr.write(`setup: ${line}\n`);

if (!existsSync(stamp) || readFileSync(stamp, "utf8").trim() !== lock) {
  const first = !existsSync(join(root, "node_modules"));
  const why = first ? "first run" : "package-lock.json changed";
  say(`installing dependencies (${why}, about half a minute)…`);
  const started = Date.now();
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  const result = spawnSync(npm, ["ci", "--loglevel=error", "--no-audit", "--no-fund"], {
    cwd: root,
    stdio: ["ignore", 2, 2],
  });
  if (result.error || result.status !== 0) {
    const reason = result.error ? result.error.message : `npm ci exited with ${result.status}`;
    say(`failed: ${reason}. Check the network and the messages above, then run it again.`);
    // Whoever reads only the last line of `npm test` must not take silence for success.
    if (process.env.npm_lifecycle_event === "pretest") {
      process.stdout.write("tests: 0 passed, 1 failed, 0 skipped\n");
    }
    process.exit(1);
  }
  writeFileSync(stamp, `${lock}\n`);
  say(`done in ${Math.round((Date.now() - started) / 1000)} s`);
}
