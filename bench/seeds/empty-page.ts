/** A minimal React page that shows one word: same versions, same build as the real page. */

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import type { Job, Metrics } from "../cell.ts";

const html = `<!doctype html>
<html lang="en">
  <head><meta charset="utf-8" /><title>Empty</title><script type="module" src="./main.js"></script></head>
  <body><div id="root"></div></body>
</html>`;

const script = `import { createElement } from "react";
import { createRoot } from "react-dom/client";
createRoot(document.getElementById("root")).render(createElement("p", { role: "log" }, "Empty"));
`;

export async function run({ dir }: Job): Promise<Metrics> {
  // Inside the page's package, so that it resolves the page's React.
  const source = fileURLToPath(new URL("../../packages/web/.empty/", import.meta.url));
  mkdirSync(source, { recursive: true });
  writeFileSync(join(source, "index.html"), html);
  writeFileSync(join(source, "main.js"), script);
  try {
    await build({
      root: source,
      configFile: false,
      logLevel: "warn",
      build: {
        outDir: join(dir, "app"),
        emptyOutDir: true,
        target: "es2024",
        modulePreload: { polyfill: false },
      },
    });
  } finally {
    rmSync(source, { recursive: true });
  }
  return {};
}
