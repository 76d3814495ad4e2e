/** The route table for the guard, read by the dispatching router: both see a path alike. */

import { pathWords, type RouteSpec } from "@holdfast/protocol";
import { routes } from "@holdfast/protocol/schemas";
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

/** Null when the request matches no entry: the path is refused, even if a handler is registered. */
export function routeOf(c: Context): RouteSpec | null {
  for (const { method, path } of matchedRoutes(c)) {
    const spec = byHandler.get(`${method} ${path}`);
    // A HEAD of a stream would start it and leave it running without a reader.
    if (spec !== undefined) return spec.stream && c.req.method === "HEAD" ? null : spec;
  }
  return null;
}

/** True when a browser opens an address: the app shell then shows a page for any path. */
export function isNavigation(c: Context): boolean {
  const { method, path } = c.req;
  const isPage = method === "GET" && path !== "/api" && !path.startsWith("/api/");
  return isPage && (c.req.header("accept") ?? "").includes("text/html");
}

/** True when the app shell would answer: a GET or HEAD outside the API with one of its handlers. */
export function isShell(c: Context, shell: readonly string[]): boolean {
  if (c.req.method !== "GET" && c.req.method !== "HEAD") return false;
  if (c.req.path === "/api" || c.req.path.startsWith("/api/")) return false;
  return matchedRoutes(c).some(({ method, path }) => method === "GET" && shell.includes(path));
}

/** Only for the `allow` header of an answer. */
export function methodsAt(path: string): readonly string[] {
  return patterns.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method);
}
