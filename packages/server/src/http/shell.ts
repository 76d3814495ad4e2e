/** The page that a link opens. It holds no data: what it shows it asks for, with its credential. */

import { readFileSync } from "node:fs";
import type { Hono } from "hono";
import type { Guarded } from "../access/middleware.ts";

const files = {
  "/": ["index.html", "text/html; charset=utf-8"],
  "/page.css": ["page.css", "text/css; charset=utf-8"],
  "/page.js": ["page.js", "text/javascript; charset=utf-8"],
} as const;

export const shellPaths: readonly string[] = Object.keys(files);

/** Its own files and its own host, and nothing else from anywhere. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export function serveShell(app: Hono<Guarded>): void {
  for (const [path, [name, type]] of Object.entries(files)) {
    const text = readFileSync(new URL(`../../page/${name}`, import.meta.url), "utf8");
    app.get(path, (context) =>
      context.body(text, 200, {
        ...{ "content-type": type, "content-security-policy": policy },
        "cache-control": "no-cache",
      }),
    );
  }
}
