import { describe, expect, test } from "vitest";
import { beyond } from "./beyond.ts";
import { answered, called, journal, run, said, tool, user } from "./testing/known.ts";

const known = journal([user("List it"), tool("t1")]);
const cutOff = journal([user("List it"), tool("t1")], {
  last: run("interrupted"),
  lastWords: "There are two files, ",
});

describe("behind the last thing that both know", () => {
  test("a call is news, and so is the text around it", () => {
    const news = [called("t2"), answered("b"), called("t3")];
    expect(beyond(known, [answered("a"), ...news])).toEqual(news);
  });

  test("a message that a person sent to the agent elsewhere is news, with its answer", () => {
    const news = [said("What else?"), answered("Nothing.")];
    expect(beyond(known, news)).toEqual(news);
  });

  test("a call that the journal has is not, whichever session of the agent's made it", () => {
    expect(beyond(known, [called("t1"), answered("a")])).toEqual([]);
  });

  test("nor are messages that the agent or the host wrote as the person", () => {
    const own = [
      said("<turn_aborted> x"),
      said("Continue from where you left off."),
      said("[Request interrupted by user for tool use]"),
      said("[SESSION_RESUMED]\nThe session was interrupted during round 2."),
      said("RESUME CONTEXT FOR CONTINUING TASK\n\n=== EXECUTION HISTORY ==="),
      said(" List  it\n"),
    ];
    expect(beyond(known, own)).toEqual([]);
  });
});

describe("the agent's words alone", () => {
  test("are no news of a run that completed, nor is a warning that it replays", () => {
    const spoken = journal([user("List it")], { lastWords: "Two files." });
    expect(beyond(spoken, [answered("Two files. Warning: no login.")])).toEqual([]);
    expect(beyond(cutOff, [answered("Warning: no login.")])).toEqual([]);
  });

  test("are news of a cut-off run, as far as they continue its journalled text", () => {
    const whole = answered("There are\ntwo files, a and b.");
    expect(beyond(cutOff, [whole])).toEqual([answered(" a and b.")]);
    expect(beyond({ ...cutOff, last: run(null) }, [whole])).toHaveLength(1);
    expect(beyond({ ...cutOff, last: run("cancelled") }, [whole])).toEqual([]);
    expect(beyond(cutOff, [answered("There are two ")])).toEqual([]);
    expect(beyond(cutOff, [answered("There are two files, ")])).toEqual([]);
  });

  test("are no news when the journal has no text of the run that they could continue", () => {
    expect(beyond({ ...cutOff, lastWords: " " }, [answered("No response requested.")])).toEqual([]);
  });

  test("are looked for behind the last prompt, not behind an earlier one of the same run", () => {
    const resumed = said("[SESSION_RESUMED]\nGo on.");
    const replay = [answered("I began. "), resumed, answered("There are two files, a.")];
    expect(beyond(cutOff, replay)).toEqual([answered(" a.")]);
  });
});
