import { readFileSync } from "node:fs";
import { Hono } from "hono";
import { expect, test } from "vitest";
import type { Guarded } from "../access/middleware.ts";
import { serveShell, shellPaths } from "./shell.ts";

const app = new Hono<Guarded>();
serveShell(app);

test("the page is three files with a policy that lets nothing else in", async () => {
  for (const path of shellPaths) {
    const response = await app.request(path);
    expect(response.status).toBe(200);
    const policy = response.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain("unsafe");
  }
  expect((await app.request("/page.html")).status).toBe(404);
});

test("nothing a session says becomes markup, and a link's code leaves the address before it is used", () => {
  const script = readFileSync(new URL("../../page/page.js", import.meta.url), "utf8");
  expect(script).not.toMatch(/innerHTML|insertAdjacentHTML|document\.write|outerHTML/);
  expect(script.indexOf("history.replaceState")).toBeLessThan(script.indexOf('call("/api/login"'));
  const html = readFileSync(new URL("../../page/index.html", import.meta.url), "utf8");
  expect(html).not.toMatch(/<script>|\son\w+="|\sstyle="/);
});
