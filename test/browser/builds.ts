/** Builds of the page that are broken on purpose, to show that the suites notice. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "vite";
import { mutations } from "../long/mutations.mjs";

const root = fileURLToPath(new URL("../../packages/web/", import.meta.url));

/** Calls `act` with the folder of a page that contains the mutation. */
export async function withBroken<T>(mutant: string, act: (app: string) => Promise<T>): Promise<T> {
  const outDir = mkdtempSync(join(tmpdir(), "holdfast-page-"));
  try {
    await build({
      root,
      configFile: join(root, "vite.config.ts"),
      logLevel: "warn",
      plugins: [broken(mutant)],
      build: { outDir, emptyOutDir: true },
    });
    return await act(outDir);
  } finally {
    rmSync(outDir, { recursive: true, force: true });
  }
}

function broken(mutant: string): Plugin {
  const { patches = [] } = mutations[mutant] ?? {};
  return {
    name: "broken",
    enforce: "pre",
    transform(code, id) {
      const own = patches.filter(({ file }) => id.endsWith(`/${file}`));
      return own.length === 0
        ? undefined
        : own.reduce((text, { from, to }) => text.replace(from, () => to), code);
    },
  };
}
