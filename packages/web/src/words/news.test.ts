import { expect, test } from "vitest";
import * as f from "../../gallery/fixtures.ts";
import { groupsOf, newsSince } from "./news.ts";

const working = f.session({ id: "a", status: "running" });
const asking = f.session({ id: "a", status: "waiting" });
const done = f.session({ id: "a", status: "idle" });
const failed = f.session({ id: "a", status: "idle", happening: { kind: "failed", text: "no" } });

test("a session is reported when it asks, fails, or finishes its work", () => {
  const before = groupsOf([working]);
  for (const now of [asking, failed, done]) expect(newsSince(before, [now])).toEqual([now]);
  expect(newsSince(before, [working])).toEqual([]);
  expect(newsSince(groupsOf([asking]), [done])).toEqual([done]);
});

test("a session that is only loaded is not reported, unless it needs a person", () => {
  expect(newsSince(groupsOf([]), [done, working])).toEqual([]);
  expect(newsSince(groupsOf([]), [asking])).toEqual([asking]);
});
