import { Holdfast, memoryStorage, type OutboxStorage, type StoredItem } from "@holdfast/client";
import { afterEach, expect, test } from "vitest";
import * as f from "../../gallery/fixtures.ts";
import { give, letGo, type Sent } from "./answering.ts";
import { decisionOf } from "./decision-of.ts";

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

const first = f.approval({ id: "appr_1" });
const second = f.approval({ id: "appr_2" });

const refusal = { code: "approval_mismatch", detail: "It is another now." };
const refuse = async () => Response.json(refusal, { status: 409 });
const taken = async () => Response.json({ success: true, approval: {} });
const nobody = () => Promise.reject(new TypeError("Nobody is there."));

interface Options {
  readonly fetch: () => Promise<Response>;
  readonly approvals?: readonly (typeof first)[];
  readonly storage?: OutboxStorage;
}

/** A page with questions: a real outbox, and the answers it remembers. */
function page({ fetch, approvals = [first], storage = memoryStorage() }: Options) {
  const holdfast = new Holdfast({
    url: "http://host",
    token: "t",
    fetch,
    openSocket: null,
    page: {},
    outboxStorage: Promise.resolve(storage),
  });
  closing.push(() => holdfast.close());
  const { outbox } = holdfast;
  let sent: Sent = new Map();
  const changeSent = (change: (sent: Sent) => Sent) => {
    sent = change(sent);
  };
  let isAsked = true;
  const submitApproval = async (
    decision: "allow" | "allow_always" | "deny",
    _reason?: string,
    approvalId = "",
  ): Promise<StoredItem | null> =>
    isAsked
      ? outbox.add("s", { type: "approval", runId: f.RUN, approvalId, decision, digest: "d" })
      : null;
  const asking = { approvals, session: f.session(), state: null, messages: [] };
  return {
    items: () => outbox.getSnapshot().items,
    decision: () => decisionOf(asking, outbox.getSnapshot().items, sent),
    answer(approvalId: string) {
      const given = {
        approvalId,
        decision: "allow",
        reason: undefined,
        option: undefined,
      } as const;
      return give({ submitApproval }, given, changeSent);
    },
    letGo: (n = 0) => letGo({ dismiss: (one) => outbox.dismiss(one) }, n, changeSent),
    isAskedNoMore() {
      isAsked = false;
    },
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

test("an answer that could not be saved, or came too late, does not count", async () => {
  const add = () => Promise.reject(new Error("The disk is full."));
  const full = page({ fetch: taken, storage: { ...memoryStorage(), add } });
  await expect(full.answer(first.id)).rejects.toThrow("The disk is full.");
  expect(full.decision()?.given).toBeNull();
  const late = page({ fetch: taken });
  late.isAskedNoMore();
  await late.answer(first.id);
  expect(late.decision()?.given).toBeNull();
});

test("a delivered answer stands when an older one to the same question is dismissed", async () => {
  let reply = refuse;
  const { answer, items, decision, letGo } = page({ fetch: () => reply() });
  await answer(first.id);
  await expect.poll(() => items()[0]?.state).toBe("refused");
  reply = taken;
  await answer(first.id);
  await expect.poll(() => items().length).toBe(1);
  await letGo(items()[0]?.n);
  expect(decision()?.given).toMatchObject({ decision: "allow", state: "sent" });
});
