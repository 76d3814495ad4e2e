/** Serves the empty page with the host's own static file handler. */

import { join } from "node:path";
import { Hono } from "hono";
import type { Guarded } from "../../packages/server/src/access/guard/middleware.ts";
import { bound } from "../../packages/server/src/http/listen.ts";
import { Shell } from "../../packages/server/src/http/shell.ts";
import { answer, jobOf } from "../streams/remote.ts";

const { dir } = jobOf<{ dir: string }>();
const app = new Hono<Guarded>();
new Shell(join(dir, "app/")).serve(app);
const server = await bound(app.fetch, "127.0.0.1", 0);
const address = server.address();
const port = typeof address === "object" ? address?.port : null;

answer({ ready: () => ({ url: `http://127.0.0.1:${port}` }) });
