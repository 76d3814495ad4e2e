// Installs a `holdfast` command in ~/.local/bin that starts this clone with its own Node; with
// --remove, removes it. Runs on the machine's own Node, so it uses plain syntax.
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { basename, delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const folder = join(homedir(), ".local", "bin");
const path = join(folder, "holdfast");
/** The second line of every launcher; a file without it is not ours and is left alone. */
const MARK =
  "# Starts Holdfast from its clone. Made by `npm run setup`, removed by `npm run setup -- --remove`.";

const say = (line) => process.stderr.write(`setup: ${line}\n`);

const args = process.argv.slice(2);
const unknown = args.find((arg) => arg !== "--remove");
if (unknown !== undefined) {
  say(`there is no option "${unknown}". Use "npm run setup" or "npm run setup -- --remove".`);
  process.exitCode = 2;
} else if (args.includes("--remove")) {
  process.exitCode = remove();
} else {
  // Ends this process with its own error message if it fails.
  await import("./setup.mjs");
  process.exitCode = install();
}

function install() {
  const found = launcherAt(path);
  if (found === "foreign") {
    say(`${path} is not a launcher of Holdfast, so it stays as it is.`);
    say(
      `Rename it and run "npm run setup" again, or use ${join(root, "node_modules/.bin/holdfast")}`,
    );
    return 1;
  }
  try {
    mkdirSync(folder, { recursive: true });
    // Renamed into place, so that an incomplete launcher is never started.
    const made = `${path}.${randomBytes(4).toString("hex")}`;
    writeFileSync(made, launcher(root), { flag: "wx" });
    chmodSync(made, 0o755);
    renameSync(made, path);
  } catch (error) {
    say(`${path} cannot be written (${error.message}).`);
    say(`Use ${join(root, "node_modules/.bin/holdfast")} instead; it does the same.`);
    return 1;
  }
  if (found !== null && found !== root) say(`${path} started ${found} until now.`);
  say(`the command holdfast is in ${folder}. Try: holdfast help`);
  tellPath();
  return 0;
}

function remove() {
  const found = launcherAt(path);
  if (found === null) {
    say(`there is no ${path}; nothing to remove.`);
    return 0;
  }
  if (found === "foreign") {
    say(`${path} is not a launcher of Holdfast, so it stays as it is.`);
    return 1;
  }
  if (found !== root && existsSync(join(found, "scripts", "launcher.mjs"))) {
    say(`${path} starts another clone. To remove it, run "npm run setup -- --remove" in ${found}`);
    return 1;
  }
  rmSync(path);
  say(`removed ${path}. Sessions stay in ~/.holdfast.`);
  return 0;
}

/** The clone that the existing launcher starts; "foreign" for another file, null without a file. */
function launcherAt(file) {
  const stat = existingStat(file);
  if (stat === undefined) return null;
  if (!stat.isFile() || stat.size > 10_000) return "foreign";
  const lines = readFileSync(file, "utf8").split("\n");
  const clone = lines[1] === MARK ? /^clone='(.*)'$/.exec(lines[2] ?? "") : null;
  return clone === null ? "foreign" : clone[1].replaceAll("'\\''", "'");
}

function existingStat(file) {
  try {
    return lstatSync(file, { throwIfNoEntry: false });
  } catch (error) {
    // A file in place of the folder; the write below reports it.
    if (error.code === "ENOTDIR") return undefined;
    throw error;
  }
}

/** A shell script, because the first `node` on the PATH may be old or missing. */
function launcher(clone) {
  return `#!/bin/sh
${MARK}
clone='${clone.replaceAll("'", "'\\''")}'
if [ ! -f "$clone/packages/cli/bin/holdfast.mjs" ]; then
  echo "holdfast: there is no clone at $clone any more. Run \\"npm run setup\\" where it is now." >&2
  exit 1
fi
if [ ! -x "$clone/node_modules/node/bin/node" ]; then
  echo "holdfast: $clone is not installed. Run \\"npm run setup\\" there." >&2
  exit 1
fi
exec "$clone/node_modules/node/bin/node" --conditions=holdfast-source "$clone/packages/cli/bin/holdfast.mjs" "$@"
`;
}

function tellPath() {
  const folders = (process.env.PATH ?? "").split(delimiter).filter((one) => !isOfNpm(one));
  const first = folders.find((one) => existsSync(join(one, "holdfast")));
  if (first !== undefined && resolve(first) !== folder) {
    say(`but ${join(first, "holdfast")} comes first on your PATH and is started instead.`);
  }
  if (folders.some((one) => resolve(one) === folder)) return;
  const shell = basename(process.env.SHELL ?? "");
  const files = { bash: "~/.bashrc", zsh: "~/.zshrc", fish: "~/.config/fish/config.fish" };
  const line =
    shell === "fish" ? "fish_add_path ~/.local/bin" : 'export PATH="$HOME/.local/bin:$PATH"';
  say(
    `${folder} is not on your PATH. Add this line to ${files[shell] ?? "~/.profile"}, then open a new terminal:`,
  );
  process.stderr.write(`\n    ${line}\n\n`);
}

/** npm adds its own folders to the PATH while a script runs; the reader's shell lacks them. */
function isOfNpm(one) {
  return /[\\/]node_modules[\\/](\.bin|.*node-gyp-bin)$/.test(one);
}
