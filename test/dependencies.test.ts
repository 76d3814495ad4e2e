import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

interface Locked {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly hasInstallScript?: boolean;
  readonly dependencies?: Record<string, string>;
  readonly optionalDependencies?: Record<string, string>;
}

interface Manifest {
  readonly dependencies?: Record<string, string>;
  readonly devDependencies?: Record<string, string>;
  readonly allowScripts?: Record<string, boolean>;
}

const root = fileURLToPath(new URL("..", import.meta.url));
const read = (path: string) => JSON.parse(readFileSync(`${root}/${path}`, "utf8"));
const folders = readdirSync(`${root}/packages`).map((name) => `packages/${name}`);
const manifest: Manifest = read("package.json");
const lock: Record<string, Locked> = read("package-lock.json").packages;
const installed = Object.entries(lock).filter(
  ([path, locked]) => path.startsWith("node_modules/") && !locked.link,
);

/** Everything a published package brings with it, by its path in the lock file. */
function runtimeTree(): Set<string> {
  const found = new Set<string>();
  const visit = (path: string) => {
    const { dependencies, optionalDependencies } = lock[path] ?? {};
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const nested = `${path}/node_modules/${name}`;
      const child = lock[nested] ? nested : `node_modules/${name}`;
      if (lock[child]?.link || found.has(child)) continue;
      found.add(child);
      visit(child);
    }
  };
  // Private packages are built into others, so they add no dependencies of their own.
  folders.filter((path) => read(`${path}/package.json`).private !== true).forEach(visit);
  return found;
}

describe("dependencies", () => {
  it("are pinned to exact versions [S18]", () => {
    const manifests: Manifest[] = [
      manifest,
      ...folders.map((path) => read(`${path}/package.json`)),
    ];
    const ranges = manifests.flatMap((one) =>
      Object.entries({ ...one.dependencies, ...one.devDependencies }),
    );
    expect(ranges.filter(([, range]) => !/^\d+\.\d+\.\d+$/.test(range))).toEqual([]);
  });

  it("are locked with an integrity hash and without a registry's address [S18]", () => {
    expect(installed.filter(([, locked]) => !locked.integrity?.startsWith("sha512-"))).toEqual([]);
    expect(installed.filter(([, locked]) => locked.resolved)).toEqual([]);
  });

  it("number at most fifteen at run time, with what they bring along [S18]", () => {
    const tree = runtimeTree();
    expect(tree).toContain("node_modules/zod");
    expect(tree.size).toBeLessThanOrEqual(15);
  });

  it("run no install script when published, and only Node's own in a clone [S18]", () => {
    const scripted = installed.filter(([, locked]) => locked.hasInstallScript);
    expect([...runtimeTree()].filter((path) => lock[path]?.hasInstallScript)).toEqual([]);
    expect(manifest.allowScripts).toEqual({ node: true });
    expect(scripted.map(([path]) => path)).toEqual(["node_modules/node"]);
  });
});
