import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createClient } from "@holdfast/client";
import type { Event } from "@holdfast/protocol";
import { afterEach, expect, test } from "vitest";
import { tellRanAgain } from "./ran-again.ts";

const ranAgain = [{ toolCallId: "t2", name: "Effect", firstCallId: "t1", exact: true }];
const receipts = [{ seq: 5, rung: "native", ranAgain }];
const restarted = { kind: "receipt.issued", rung: "native", seq: 5 } as Event;
const done = { kind: "run.completed", seq: 9 } as Event;

let close = () => {};
afterEach(() => close());

/** Follows a session of a host that answers each request for receipts with `answer`. */
async function followed(answer: (response: ServerResponse, nth: number) => void) {
  let requests = 0;
  const server = createServer((_, response) => answer(response, ++requests));
  close = () => {
    server.close();
    server.closeAllConnections();
  };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const client = createClient({ url: `http://127.0.0.1:${port}`, token: "" });
  const controller = new AbortController();
  const lines: string[] = [];
  const tell = (line: unknown) => lines.push(JSON.stringify(line));
  const { signal } = controller;
  const onEvent = tellRanAgain({
    client,
    session: "sess_1",
    signal,
    isDue: false,
    told: new Set(),
    tell,
  });
  return { onEvent, lines, controller, requests: () => requests };
}

function reply(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

test("a request that failed at a run's end is repeated at the next one, and a reply is the last", async () => {
  const refusal = { error: { code: "internal", message: "no" } };
  const { onEvent, lines, requests } = await followed((response, nth) =>
    nth === 1 ? reply(response, 500, refusal) : reply(response, 200, { receipts }),
  );
  await onEvent(restarted);
  await onEvent(done);
  expect([requests(), lines]).toEqual([1, []]);
  await onEvent(done);
  expect([requests(), lines]).toEqual([
    2,
    [expect.stringContaining("Effect, with the same input")],
  ]);
  await onEvent(done);
  expect(requests()).toBe(2);
});

test("a restart while the host replies is asked about at the next end", async () => {
  let answerFirst = () => {};
  let reached = () => {};
  const isReached = new Promise<void>((resolve) => {
    reached = resolve;
  });
  const { onEvent, requests } = await followed((response, nth) => {
    if (nth > 1) return reply(response, 200, { receipts });
    answerFirst = () => reply(response, 200, { receipts: [] });
    reached();
  });
  await onEvent(restarted);
  const first = onEvent(done);
  await isReached;
  await onEvent({ ...restarted, seq: 12 });
  answerFirst();
  await first;
  await onEvent(done);
  expect(requests()).toBe(2);
});

test("the signal ends a request that the host does not answer", async () => {
  const { onEvent, lines, controller } = await followed(() => controller.abort());
  await onEvent(restarted);
  await onEvent(done);
  expect(lines).toEqual([]);
});
