import type { EventBody } from "@holdfast/protocol";
import { expect, test } from "vitest";
import { onceFacts } from "./facts.ts";

const runId = "run_1";
const once: Record<string, EventBody> = {
  "outcome run_1": { kind: "run.completed", runId, stopReason: "end_turn" },
  "token rt_1": { kind: "token.consumed", runId, tokenId: "rt_1" },
  "approval ap_1": {
    kind: "approval.decided",
    runId,
    approvalId: "ap_1",
    decision: "deny",
    by: "me",
  },
  "command k": { kind: "run.resumed", runId, waitId: "wait_1", by: "me", key: "k" },
  "client c": { kind: "message.user", messageId: "msg_1", content: "x", clientId: "c" },
};

test.each(Object.entries(once))("the store holds %s as a fact that is true once", (fact, event) => {
  expect(onceFacts([event]).map(({ name, key }) => `${name} ${key}`)).toEqual([fact]);
});
