import { Holdfast, memoryStorage } from "@holdfast/client";
import { afterEach, expect, test } from "vitest";
import * as f from "../../../gallery/fixtures.ts";
import { decisionOf } from "./decision-of.ts";

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

const first = f.approval({ id: "appr_1" });
const second = f.approval({ id: "appr_2" });

const refusal = { code: "approval_mismatch", detail: "It is another now." };
const refuse = async () => Response.json(refusal, { status: 409 });
const nobody = () => Promise.reject(new TypeError("Nobody is there."));

interface Options {
  readonly fetch: (path: string) => Promise<Response>;
  readonly approvals?: readonly (typeof first)[];
}

/** A page with questions, and a real outbox. */
function page({ fetch, approvals = [first] }: Options) {
  const holdfast = new Holdfast({
    url: "http://host",
    token: "t",
    fetch,
    openSocket: null,
    page: {},
    outboxStorage: Promise.resolve(memoryStorage()),
  });
  closing.push(() => holdfast.close());
  const { outbox } = holdfast;
  const asking = { approvals, session: f.session(), state: null, messages: [] };
  const items = () => outbox.getSnapshot().items;
  return {
    items,
    decision: () => decisionOf(asking, items()),
    answer: (approvalId: string) =>
      outbox.add("s", {
        type: "approval",
        runId: f.RUN,
        approvalId,
        decision: "allow",
        digest: "d",
      }),
    letGo: (n = 0) => outbox.dismiss(n),
  };
}

test("an answer that the host refused and its person let go leaves the question to be answered [F26]", async () => {
  const { answer, items, decision, letGo } = page({ fetch: refuse });
  await answer(first.id);
  await expect.poll(() => items()[0]?.state).toBe("refused");
  expect(decision()?.given).toBeNull();
  await letGo(items()[0]?.n);
  expect(items()).toEqual([]);
  expect(decision()?.given).toBeNull();
});

test("an answer that is taken back from the list opens its own question again, and no other [F26]", async () => {
  const { answer, items, decision, letGo } = page({ fetch: nobody, approvals: [first, second] });
  await answer(first.id);
  await answer(second.id);
  await expect.poll(() => items()[0]?.problem != null).toBe(true);
  await letGo(items()[0]?.n);
  expect(decision()).toMatchObject({ approval: first, given: null });
  expect(items()).toMatchObject([{ action: { approvalId: second.id } }]);
});
