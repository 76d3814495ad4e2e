import type { SessionView } from "@holdfast/protocol";
import { describe, expect, test } from "vitest";
import { session } from "../../gallery/fixtures.ts";
import { happeningOf } from "./happening.ts";

const said = { kind: "said", text: "Keys now have an id. " } as const;

describe("the last happening in one line", () => {
  test.each([
    [{ kind: "does", text: "Edit /home/ada/harbour/src/auth.ts" }, "Edit src/auth.ts"],
    [{ kind: "does", text: 'Edit "/home/ada/harbour/a b.ts"' }, 'Edit "a b.ts"'],
    [{ kind: "does", text: "cat /mnt/home/ada/harbour/a" }, "cat /mnt/home/ada/harbour/a"],
    [{ kind: "asks", text: "Run npm publish" }, "asks: Run npm publish"],
    [said, "said “Keys now have an id.”"],
    [{ kind: "failed", text: "It is overloaded." }, "failed: It is overloaded."],
    [null, "claude-code in harbour on rotate-keys"],
  ] as const)("%o is %s", (happening, words) => {
    expect(happeningOf(session({ happening }))).toBe(words);
  });

  test("says that it failed when the row's state does not", () => {
    const happening = { kind: "failed", text: "It is overloaded." } as const;
    const saidBy = (word: "failed" | "ended") => happeningOf({ ...session({ happening }), word });
    expect(saidBy("failed")).toBe("It is overloaded.");
    expect(saidBy("ended")).toBe("failed: It is overloaded.");
  });

  test("says first why the session cannot go on", () => {
    const damage = { reason: "checksum", readableTo: 7 };
    expect(happeningOf(session({ happening: said, damage }))).toBe("readable up to event 7");
    const lost = { ...damage, readableTo: null };
    expect(happeningOf(session({ happening: said, damage: lost }))).toBe("not readable");
    const interruption = { runId: "run_1", reason: "process_restart", at: "" };
    const recovery = { ...session().recovery, interruption };
    const cut = session({ happening: said, status: "interrupted_startup", recovery });
    expect(happeningOf(cut)).toBe("the agent stopped while the host was down");
    const parked = { happening: said, queued: 2 };
    expect(happeningOf(session({ ...parked, status: "idle" }))).toBe("2 messages wait");
    expect(happeningOf(session(parked))).toBe("said “Keys now have an id.”");
  });

  test("says how many messages an ended session never sent", () => {
    const ended = { ...session({ happening: said, queued: 2, status: "idle" }), word: "ended" };
    expect(happeningOf(ended as SessionView)).toBe("2 messages were never sent");
  });
});
