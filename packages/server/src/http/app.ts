import { Hono } from "hono";

export interface Health {
  readonly status: "ok";
  readonly bootId: string;
  readonly version: string;
  readonly pid: number;
}

/** The HTTP surface: today only what a supervisor needs to see that the host is up. */
export function createApp(health: () => Health): Hono {
  const app = new Hono();
  app.get("/health", (context) => context.json(health()));
  app.notFound((context) =>
    context.json(
      { status: 404, code: "not_found", title: "There is nothing at this address." },
      404,
      { "content-type": "application/problem+json" },
    ),
  );
  return app;
}
