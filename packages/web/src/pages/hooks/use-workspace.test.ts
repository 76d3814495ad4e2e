import { expect, test } from "vitest";
import * as f from "../../../gallery/fixtures.ts";
import { momentOf } from "./use-workspace.ts";

test("the moment changes when a tool call ends, not while it runs", () => {
  const story = f.journal(
    [9, f.asked("Go")],
    [8, f.started()],
    [7, f.tool("t1", "Edit", {})],
    [6, f.said("Almost.")],
    [5, f.gave("t1", "done")],
  );
  const at = (count: number) =>
    momentOf({ messages: f.messagesOf(story.slice(0, count)), run: null });
  expect(at(4)).toBe(at(3));
  expect(at(5)).not.toBe(at(4));
});
