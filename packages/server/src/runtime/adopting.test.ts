import { afterEach, expect, test } from "vitest";
import { readIdentity } from "../holder/directory/identity.ts";
import { endPlaces, openPlace, says } from "./testing/place.ts";

afterEach(endPlaces);

test("a resume that finds its agent alive after all has the receipt of the adoption", async () => {
  const p = await openPlace();
  const id = await p.create();
  await p.prompt(id, "/count=400");
  await p.until(id, says("<20>"));
  await p.close();
  const holder = readIdentity(p.holders()[0] ?? "");
  if (holder === null || !("pid" in holder)) throw new Error("no holder");
  process.kill(holder.pid, "SIGSTOP");
  await p.open({ policy: { holderProbe: 200, adoptLimit: 200 } });
  process.kill(holder.pid, "SIGCONT");
  const resumed = await p.host?.runtimes.revive(id, "revive").done;
  expect(resumed).toMatchObject({ rung: "adopted", receipt: { rung: "adopted", lost: [] } });
  expect(await p.of(id, "receipt.issued")).toMatchObject([{ seq: resumed?.receipt?.seq }]);
  expect((await p.sessions.state(id)).recovery.receipts).toBe(1);
});
