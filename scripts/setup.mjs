// Installs dependencies when the lock file has changed. Its first run is on the machine's own Node
// before any installation, so it uses plain syntax and no packages.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const stamp = join(root, "node_modules", ".holdfast-setup");
const lock = createHash("sha256")
  .update(readFileSync(join(root, "package-lock.json")))
  .digest("hex");

// On stderr, because the stdout of `npm start -- --json` is for the ready line.
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
    fail(result.error ? result.error.message : `npm ci exited with ${result.status}`);
  }
  writeFileSync(stamp, `${lock}\n`);
  say(`done in ${Math.round((Date.now() - started) / 1000)} s`);
}

// Builds the page when its sources have changed; the host serves the built page.
const made = ["packages/web", "packages/client/src", "packages/protocol/src"];
const isMade = (path) => !/(^|\/)(node_modules|dist|gallery)(\/|$)|\.test\.tsx?$/.test(path);
const pageStamp = join(root, "packages", "server", "app", ".made-of");
const page = createHash("sha256").update(lock);
for (const folder of made) {
  const files = readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .filter((path) => isMade(path.slice(root.length)))
    .sort();
  for (const path of files) page.update(path.slice(root.length)).update(readFileSync(path));
}
const content = page.digest("hex");
if (!existsSync(pageStamp) || readFileSync(pageStamp, "utf8").trim() !== content) {
  const why = existsSync(pageStamp) ? "its sources changed, " : "";
  say(`building the page (${why}some seconds)…`);
  const started = Date.now();
  const node = join(root, "node_modules", "node", "bin", "node");
  const vite = join(root, "node_modules", "vite", "bin", "vite.js");
  const result = spawnSync(node, [vite, "build", "--logLevel", "warn"], {
    cwd: join(root, "packages", "web"),
    stdio: ["ignore", 2, 2],
  });
  if (result.error || result.status !== 0) {
    fail(`the page could not be built (${result.error?.message ?? `exit code ${result.status}`})`);
  }
  writeFileSync(pageStamp, `${content}\n`);
  say(`page built in ${Math.round((Date.now() - started) / 1000)} s`);
}

function fail(reason) {
  say(`failed: ${reason}. Check the network and the messages above, then run it again.`);
  // A reader of only the last line of `npm test` must see the failure.
  if (process.env.npm_lifecycle_event === "pretest") {
    process.stdout.write("tests: 0 passed, 1 failed, 0 skipped\n");
  }
  process.exit(1);
}
