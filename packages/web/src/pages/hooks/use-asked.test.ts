import { Holdfast, memoryStorage } from "@holdfast/client";
import { expect, test } from "vitest";
import { mount } from "../../../../client/test/dom.ts";
import { quickTimers } from "../../../../client/test/quick-timers.ts";
import { scriptedHost } from "../../../../client/test/scripted-host.ts";
import { useAsked } from "./use-asked.ts";

test("a request that the host could not answer is repeated until it does", async () => {
  const host = await scriptedHost((_, reply, n) => {
    if (n <= 8) reply.problem(503, "journal_closed", "The host is stopping.");
    else reply.json(200, { devices: [] });
  });
  const clock = { ...quickTimers(), now: Date.now };
  const outboxStorage = Promise.resolve(memoryStorage());
  const holdfast = new Holdfast({ url: host.url, token: "secret", clock, outboxStorage });
  const devices = mount(holdfast, () => useAsked("listDevices"));
  await expect.poll(() => devices.hook.getSnapshot()).toEqual({ devices: [] });
  devices.unmount();
  holdfast.close();
  await host.close();
});
