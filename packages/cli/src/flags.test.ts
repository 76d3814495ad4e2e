import { describe, expect, test } from "vitest";
import { command } from "./command.ts";
import { flagNames, leadingFlags } from "./flags.ts";

const flags = {
  after: { value: "N", does: "" },
  follow: { short: "f", does: "" },
  json: { does: "" },
} as const;

async function given(...args: string[]): Promise<unknown> {
  let seen: unknown;
  const words = { least: 1, most: 2 };
  const one = command({ name: "try", takes: "A [B]", does: "", flags, words }, async (all) => {
    seen = all;
    return 0;
  });
  await one.run(args);
  return seen;
}

describe("flags", () => {
  test("may stand anywhere; switches are off, values absent", async () => {
    const words = ["a"];
    expect(await given("a")).toEqual({ follow: false, json: false, words });
    const all = { follow: true, json: true, after: "3", words: ["a", "b"] };
    expect(await given("-f", "a", "--after", "3", "b", "--json")).toEqual(all);
    expect(await given("a", "--", "--json")).toMatchObject({ json: false, words: ["a", "--json"] });
  });

  test.each([
    [
      ["a", "--nope"],
      'This command has no option "--nope". Usage: holdfast try A [B]. See holdfast help.',
    ],
    [["a", "-x"], /^This command has no option "-x"\./],
    [["a", "--after"], /^--after needs a value: --after N\. Usage: /],
    [["a", "--after", "--json"], /^--after needs a value: --after N\. Usage: /],
    [["a", "--json=1"], /^--json takes no value\. Usage: /],
    [["a", "--follow=1"], /^--follow takes no value\. Usage: /],
    [["a", "b", "c"], 'Unexpected argument "c". Usage: holdfast try A [B]'],
    [[], "An argument is missing. Usage: holdfast try A [B]"],
  ])("%o is refused by name", async (args, said) => {
    await expect(given(...args)).rejects.toMatchObject({
      code: "bad_input",
      message: typeof said === "string" ? said : expect.stringMatching(said),
    });
  });

  test.each([
    [["--json", "ls"], ["--json"]],
    [
      ["--after", "ls", "-f", "ls", "--json"],
      ["--after", "ls", "-f"],
    ],
    [["--after=3", "ls"], ["--after=3"]],
    [["ls", "--json"], []],
    [["--nope"], ["--nope"]],
    [["--after"], ["--after"]],
    [["--", "ls"], []],
  ])("%o begins with %o", (args, leading) => {
    expect(leadingFlags(args, [flags])).toEqual(leading);
  });

  test("are written as they are typed", () => {
    expect(flagNames("after", flags.after)).toBe("--after N");
    expect(flagNames("follow", flags.follow)).toBe("-f, --follow");
  });
});
