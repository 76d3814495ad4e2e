/** An app with the whole route table behind the real guard; its handlers only record their calls. */

import type { HostError, RouteSpec } from "@holdfast/protocol";
import { routes } from "@holdfast/protocol/schemas";
import { Hono } from "hono";
import { type Guarded, type GuardOptions, guarded } from "../guard/middleware.ts";

/** Data that only callers with the right scope may read. */
export const DATA = "SECRET-DATA";

const sse = { "content-type": "text/event-stream" };

export interface TableApp {
  readonly app: Hono<Guarded>;
  /** The routes whose handlers ran, with their callers. */
  readonly effects: { readonly route: string; readonly by: string | null }[];
  /** The error that every handler throws; null to succeed. */
  refuse: HostError | null;
}

export function tableApp(options: GuardOptions): TableApp {
  const app = new Hono<Guarded>();
  const effects: { route: string; by: string | null }[] = [];
  const served: TableApp = { app, effects, refuse: null };
  app.use(guarded(options));
  for (const [route, { method, path, stream }] of Object.entries(routes) as [string, RouteSpec][]) {
    app.on(method, path, async (c) => {
      if (served.refuse !== null) throw served.refuse;
      effects.push({ route, by: c.get("caller")?.id ?? null });
      if (route === "health") return c.json({ status: "ok" });
      if (stream === "sse") return c.body(`data: ${DATA}\n\n`, 200, sse);
      return c.json({ data: DATA, got: (await c.req.text()).length });
    });
  }
  return served;
}

/** A concrete path for a pattern of the route table. */
export function pathOf({ path }: { readonly path: string }): string {
  return path.replace(/:(\w+)Id/g, (_, noun: string) => `${noun}_${"0".repeat(32)}`);
}
