import { Hono } from "hono";
import { expect, test } from "vitest";
import { Bytes, bytesResponse } from "./bytes.ts";

/** One that says how often it was opened, and how long its reader may take nothing. */
function served() {
  const seen = { opened: 0, patience: 0 };
  const stream = () => {
    seen.opened++;
    return new Blob(["bytes"]).stream();
  };
  const app = new Hono().get("/", (c) => bytesResponse(c, new Bytes("name", 5, stream)));
  const outgoing = {
    setTimeout: (ms: number) => {
      seen.patience = ms;
    },
  };
  return { seen, ask: (method: string) => app.request("/", { method }, { outgoing }) };
}

test("a HEAD says how many there are and opens nothing", async () => {
  const { seen, ask } = served();
  const head = await ask("HEAD");
  expect([head.status, head.headers.get("content-length")]).toEqual([200, "5"]);
  expect(seen.opened).toBe(0);
});

test("a reader that takes nothing is not waited for for ever", async () => {
  const { seen, ask } = served();
  expect(await (await ask("GET")).text()).toBe("bytes");
  expect(seen).toEqual({ opened: 1, patience: 60_000 });
});
