import { Hono } from "hono";
import { expect, test } from "vitest";
import { Bytes, bytesResponse } from "./bytes.ts";

/** An app that records how often the stream was opened, and the stall timeout that was set. */
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

test("a HEAD gives the size without opening the stream", async () => {
  const { seen, ask } = served();
  const head = await ask("HEAD");
  expect([head.status, head.headers.get("content-length")]).toEqual([200, "5"]);
  expect(seen.opened).toBe(0);
});

test("a reader that stalls is disconnected after a time limit", async () => {
  const { seen, ask } = served();
  expect(await (await ask("GET")).text()).toBe("bytes");
  expect(seen).toEqual({ opened: 1, patience: 60_000 });
});
