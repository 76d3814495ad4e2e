/**
 * The route table as the guard needs it. Which entry a request means is asked of the very router
 * that will dispatch it, so that the two can never read a path differently.
 */

import { pathWords, type RouteSpec, routes } from "@holdfast/protocol";
import type { Context } from "hono";
import { matchedRoutes } from "hono/route";

const specs: readonly RouteSpec[] = Object.values(routes);
const byHandler = new Map(specs.map((spec) => [`${spec.method} ${spec.path}`, spec]));
const patterns = specs.map(({ method, path }) => ({
  method,
  pattern: new RegExp(`^${path.replace(/\.(?=\w)/g, "\\.").replace(pathWords, wordPattern)}$`),
}));

function wordPattern(_: string, _name: string, isLong?: string): string {
  return isLong === undefined ? "[^/]+" : "[^]+";
}

/** Null when no entry is meant: then there is nothing there, whatever handlers are registered. */
export function routeOf(c: Context): RouteSpec | null {
  for (const { method, path } of matchedRoutes(c)) {
    const spec = byHandler.get(`${method} ${path}`);
    // Answering HEAD by starting a stream would leave it running without a reader.
    if (spec !== undefined) return spec.stream && c.req.method === "HEAD" ? null : spec;
  }
  return null;
}

/** A person's browser opens an address: it shows a page, whatever is there. */
export function isNavigation(c: Context): boolean {
  const { method, path } = c.req;
  const isPage = method === "GET" && path !== "/api" && !path.startsWith("/api/");
  return isPage && (c.req.header("accept") ?? "").includes("text/html");
}

/** Whether the app shell would answer: a GET outside the API, by one of the handlers named as such. */
export function isShell(c: Context, shell: readonly string[]): boolean {
  if (c.req.method !== "GET" && c.req.method !== "HEAD") return false;
  if (c.req.path === "/api" || c.req.path.startsWith("/api/")) return false;
  return matchedRoutes(c).some(({ method, path }) => method === "GET" && shell.includes(path));
}

/** For the answer alone; nothing is decided by it. */
export function methodsAt(path: string): readonly string[] {
  return patterns.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method);
}
