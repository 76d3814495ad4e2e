import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { Hono } from "hono";
import { afterAll, expect, test } from "vitest";
import type { Guarded } from "../access/guard/middleware.ts";
import { Shell } from "./shell.ts";

const dir = `${mkdtempSync(join(tmpdir(), "holdfast-shell-"))}/`;
mkdirSync(join(dir, "assets"));
writeFileSync(join(dir, "index.html"), "<!doctype html><p>first");
writeFileSync(join(dir, "theme.js"), "1");
writeFileSync(join(dir, "assets", "index-1a2b.js"), "2");
writeFileSync(join(dir, "assets", "secret.env"), "3");

afterAll(() => rmSync(dir, { recursive: true }));

function appOf(shell: Shell): Hono<Guarded> {
  const app = new Hono<Guarded>();
  shell.serve(app);
  return app;
}

const app = appOf(new Shell(dir));

test("every page of the app is its index file, with a policy that blocks all foreign content", async () => {
  for (const path of ["/", "/s/sess_1", "/agents", "/settings"]) {
    const response = await app.request(path);
    expect([path, response.status, await response.text()]).toEqual([
      ...[path, 200, "<!doctype html><p>first"],
    ]);
    const policy = response.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    expect(response.headers.get("cache-control")).toBe("no-cache");
    expect(response.headers.get("cross-origin-opener-policy")).toBe("same-origin");
    expect(response.headers.get("permissions-policy")).toContain("camera=()");
  }
});

test("browsers cache files whose name changes with their content, and revalidate the others", async () => {
  const kept = await app.request("/assets/index-1a2b.js");
  expect(kept.headers.get("cache-control")).toContain("immutable");
  expect((await app.request("/theme.js")).headers.get("cache-control")).toBe("no-cache");
});

test("the app is compressed for clients that accept gzip", async () => {
  const headers = { "accept-encoding": "gzip, br" };
  const zipped = await app.request("/assets/index-1a2b.js", { headers });
  expect(zipped.headers.get("content-encoding")).toBe("gzip");
  expect(gunzipSync(new Uint8Array(await zipped.arrayBuffer())).toString()).toBe("2");
});

test.each(["/assets/secret.env", "/assets/../index.html.map", "/s/a/b", "/other", "/index.html"])(
  "%s is not served",
  async (path) => {
    expect((await app.request(path)).status).toBe(404);
  },
);

test("a browser that opens an unknown address gets the page, an API path does not", async () => {
  const headers = { accept: "text/html,application/xhtml+xml" };
  const page = await app.request("/no/such/page", { headers });
  expect([page.status, await page.text()]).toEqual([404, "<!doctype html><p>first"]);
  const api = await app.request("/api/none", { headers });
  expect(await api.text()).not.toContain("first");
});

test("a host whose page was not built says so on the page, and its API works", async () => {
  const response = await appOf(new Shell(join(dir, "none/"))).request("/");
  expect([response.status, await response.text()]).toEqual([
    ...[200, expect.stringContaining("npm start")],
  ]);
});
