/** The web app, as static files without data; the app requests data with its credential. */

import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import type { Context, Hono } from "hono";
import type { Guarded } from "../access/guard/middleware.ts";
import { isNavigation } from "../access/guard/route-table.ts";

/** The same relative path from the sources and from the built files. */
const appDirectory = fileURLToPath(new URL("../../app/", import.meta.url));

/** Allows the app's own files and its own host only. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** The app's pages; all of them are its index file. */
const pages = ["/", "/s/:id", "/agents", "/settings"];

const unbuilt =
  "<!doctype html><title>Holdfast</title><p>The page is not built. Run: npm start</p>";

interface ShellFile {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly type: string;
  readonly isHashed: boolean;
  zipped: Uint8Array<ArrayBuffer> | null;
}

export class Shell {
  readonly #files: ReadonlyMap<string, ShellFile>;
  readonly #first: ShellFile;

  constructor(dir = appDirectory) {
    const files = new Map(filesIn(dir).map((path) => [`/${path}`, readShellFile(dir, path)]));
    this.#first = files.get("/index.html") ?? {
      body: new TextEncoder().encode(unbuilt),
      type: types[".html"] as string,
      isHashed: false,
      zipped: null,
    };
    files.delete("/index.html");
    this.#files = files;
  }

  get paths(): readonly string[] {
    return [...pages, ...this.#files.keys()];
  }

  serve(app: Hono<Guarded>): void {
    for (const page of pages) app.get(page, (context) => reply(context, this.#first));
    for (const [path, file] of this.#files) app.get(path, (context) => reply(context, file));
    // A browser that opens an unknown address gets the app too, with status 404.
    app.get("*", (context, next) =>
      isNavigation(context) ? Promise.resolve(reply(context, this.#first, 404)) : next(),
    );
  }
}

function reply(context: Context, file: ShellFile, status: 200 | 404 = 200): Response {
  const takesZipped = /\bgzip\b/.test(context.req.header("accept-encoding") ?? "");
  if (takesZipped) file.zipped ??= new Uint8Array(gzipSync(file.body));
  return context.body(takesZipped && file.zipped !== null ? file.zipped : file.body, status, {
    "content-type": file.type,
    "content-security-policy": policy,
    // Pages that opened this one get no handle on it, and device permissions are off.
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
    "cache-control": file.isHashed ? "public, max-age=31536000, immutable" : "no-cache",
    vary: "accept-encoding",
    ...(takesZipped ? { "content-encoding": "gzip" } : {}),
  });
}

/** The app's files; empty when it is not built, and the host then serves its API alone. */
function filesIn(dir: string): string[] {
  try {
    return readdirSync(dir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && extname(entry.name) in types)
      .map(({ parentPath, name }) => join(parentPath, name).slice(dir.length));
  } catch {
    return [];
  }
}

function readShellFile(dir: string, path: string): ShellFile {
  return {
    body: new Uint8Array(readFileSync(join(dir, path))),
    type: types[extname(path)] ?? "application/octet-stream",
    isHashed: path.startsWith("assets/"),
    zipped: null,
  };
}
