/**
 * Installs pinned agents into `.agents/<name>/`, each with its own package.json and outside the
 * project's node_modules, because together they take more than two gigabytes.
 */

import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Pin } from "./pins.ts";

const root = fileURLToPath(new URL("../../.agents/", import.meta.url));
/** Written last, so that an interrupted install counts as missing. */
const stamp = ".installed";

/** The path of a file of an installed agent. */
export function installedFile(pin: Pin, ...path: readonly string[]): string {
  return join(root, pin.name, "node_modules", ...path);
}

export function isInstalled(pin: Pin): boolean {
  const file = join(root, pin.name, stamp);
  return existsSync(file) && readFileSync(file, "utf8") === manifestOf(pin);
}

/** Installs the agent, unless this version is already installed. */
export async function install(pin: Pin, say: (line: string) => void): Promise<void> {
  if (isInstalled(pin)) return;
  const folder = join(root, pin.name);
  say(`installing ${pin.package} ${pin.version}, which takes up to a minute…`);
  const started = performance.now();
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), manifestOf(pin));
  await npmInstall(folder, pin);
  writeFileSync(join(folder, stamp), manifestOf(pin));
  say(`installed ${pin.name} in ${((performance.now() - started) / 1000).toFixed(1)} s`);
}

function manifestOf({ name, package: dependency, version, scripts = [] }: Pin): string {
  const manifest = {
    name: `holdfast-agent-${name}`,
    private: true,
    dependencies: { [dependency]: version },
    allowScripts: Object.fromEntries(scripts.map((script) => [script, true])),
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

function npmInstall(folder: string, { package: dependency, scripts = [] }: Pin): Promise<void> {
  const flags = ["--no-audit", "--no-fund", "--loglevel=error"];
  if (scripts.length === 0) flags.push("--ignore-scripts");
  return new Promise((resolve, reject) => {
    const child = spawn("npm", ["install", ...flags], { cwd: folder, stdio: ["ignore", 2, 2] });
    child.once("error", reject);
    child.once("close", (code) => {
      if (code === 0) return resolve();
      reject(new Error(`npm could not install ${dependency} (exit code ${code}); see above`));
    });
  });
}
