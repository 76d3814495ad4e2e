/**
 * Pages of other origins in a real browser, on the same machine as the host: the host refuses them
 * all.
 */

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { routes } from "@holdfast/protocol/schemas";
import { bodyOf, DATA, everything, type Ids, pathOf, table, unknown } from "../../hostile/table.ts";
import type { Suite } from "../../long/suite.ts";
import { type Aim, elements, fetches, forms, type Read, streams } from "../attacks.ts";
import { onStage, type Stage, type StageOptions } from "../hosts.ts";
import { Page } from "../page.ts";
import { Wire } from "../wire.ts";

const waysIn = { fetches, forms, elements, streams } as const;

/** A server of another origin. */
async function evilServer() {
  const server = createServer((_, response) => {
    response.writeHead(200, { "content-type": "text/html" });
    response.end("<!doctype html><title>evil</title><body>evil</body>");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

/** A session with an open question, and every route with its ids. */
async function aimAt({ world }: Stage, origin: string): Promise<Aim> {
  const { id } = await world.create(`/say ${DATA} /ask`, { title: DATA });
  const asked = await world.untilKind(id, "approval.requested");
  if (asked.kind !== "approval.requested") throw new Error("It did not ask.");
  // The mark of the workspace is journalled beside the question: nothing else is written after it.
  await world.untilKind(id, "approval.marked");
  const { runId, approvalId } = asked;
  const ids: Ids = { ...unknown, sessionId: id, runId, approvalId };
  const { ticket } = await world.client.call("createTicket", { body: {} });
  return {
    origin,
    token: world.token,
    ticket,
    session: id,
    routes: table
      .filter(([, { stream }]) => stream === undefined)
      .map(([name]) => ({
        method: routes[name].method,
        path: pathOf(name, ids),
        body: bodyOf(name) ?? null,
      })),
  };
}

async function attack(page: Page, aim: Aim): Promise<Read[]> {
  const read: Read[] = [];
  for (const way of Object.values(waysIn)) read.push(...(await page.target.evaluate(way, aim)));
  return read;
}

export async function otherOrigin(options: StageOptions = {}): Promise<readonly string[]> {
  return onStage(async (stage) => {
    const server = await evilServer();
    const { port } = server.address() as AddressInfo;
    try {
      const aim = await aimAt(stage, stage.origin());
      const before = await everything(stage.world, aim.session);
      // One name outside this machine, and one of this machine, which browsers treat as same-site.
      for (const name of ["evil.test", "127.0.0.1"]) {
        const page = await Page.of(await stage.browser.newTarget(), `http://${name}:${port}`);
        await page.open("/");
        await page.sees("evil");
        assert.deepEqual(await attack(page, aim), []);
        await page.target.close();
      }
      assert.deepEqual(await everything(stage.world, aim.session), before);
      assert.ok(stage.wire.passed.length > 100, "nothing was tried: this proves nothing");
    } finally {
      server.close();
      server.closeAllConnections();
    }
  }, options);
}

/** A name that first resolves to the page's own server, and then to the host. */
export async function rebound(options: StageOptions = {}): Promise<readonly string[]> {
  return onStage(async (stage) => {
    const server = await evilServer();
    const wire = await Wire.open();
    wire.target = (server.address() as AddressInfo).port;
    try {
      const origin = `http://rebound.test:${wire.port}`;
      const page = await Page.of(await stage.browser.newTarget(), origin);
      await page.open("/");
      await page.sees("evil");
      wire.target = stage.wire.target;
      wire.cut();
      const aim = await aimAt(stage, origin);
      const before = await everything(stage.world, aim.session);
      const read = await attack(page, aim);
      const isRefusal = ({ text }: Read) => text.includes('"bad_host"');
      assert.equal(
        read.find((one) => !isRefusal(one)),
        undefined,
      );
      assert.ok(read.length > 0, "it did not reach the host: this proves nothing");
      assert.ok(!JSON.stringify(read).includes(DATA));
      assert.deepEqual(await everything(stage.world, aim.session), before);
      await page.target.close();
    } finally {
      wire.close();
      server.close();
      server.closeAllConnections();
    }
  }, options);
}

export const foreign: Suite = {
  name: "foreign",
  async run({ test, short }) {
    if (short) return;
    await test(
      "a page of another origin can neither read nor change data: fetches, forms, beacons, elements, sockets, streams [P36]",
      otherOrigin,
    );
    await test("a page whose name is rebound to the host is refused without data [P36]", rebound);
  },
};
