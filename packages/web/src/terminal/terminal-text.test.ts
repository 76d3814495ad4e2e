import { describe, expect, test } from "vitest";
import { terminalLines } from "./terminal-text.ts";

const read = async (output: string) =>
  (await terminalLines(output)).map((line) => line.map(({ text }) => text).join(""));

describe("output as a terminal shows it", () => {
  test("a progress bar is its last state, in one line", async () => {
    const bar = Array.from({ length: 100 }, (_, n) => `\rfetched ${n + 1} %`).join("");
    expect(await read(`start\n${bar}\r\u001b[2Kfetched all\nend\n`)).toEqual([
      ...["start", "fetched all", "end"],
    ]);
  });

  test("lines are overwritten after the cursor moves up", async () => {
    expect(await read("a: 1\nb: 1\n\u001b[2Aa: 2\nb: 2\n")).toEqual(["a: 2", "b: 2"]);
  });

  test("a line of any length is one line, and control sequences are not shown", async () => {
    const long = "x".repeat(1700);
    const hidden = "\u001b]0;title\u0007\u001b]8;;http://evil.test\u0007link\u001b]8;;\u0007";
    expect(await read(`${long}\r\n${hidden}`)).toEqual([long, "link"]);
  });

  test("styles become weight and shade, and only red keeps its hue", async () => {
    const [line] = await terminalLines(
      "plain \u001b[1;32mgreen\u001b[0m \u001b[31mred\u001b[0m \u001b[90mgrey\u001b[0m\n",
    );
    expect(line).toEqual([
      { text: "plain ", look: "" },
      { text: "green", look: "term-strong" },
      { text: " ", look: "" },
      { text: "red", look: "term-red" },
      { text: " ", look: "" },
      { text: "grey", look: "term-quiet" },
    ]);
  });

  test("wide letters and accents stay whole", async () => {
    expect(await read("日本語 e\u0301 ok\n")).toEqual(["日本語 e\u0301 ok"]);
  });
});
