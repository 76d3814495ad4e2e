import { expect, test } from "vitest";
import { choiceOf } from "./choice.ts";

const names = (...args: string[]) => choiceOf(args).agents.map(({ pin }) => pin.name);

test("by default the usual agents are tried, each in every phase with every victim", () => {
  const { agents, cells, page } = choiceOf([]);
  expect(page).toBeNull();
  expect(agents.every(({ isUsual }) => isUsual)).toBe(true);
  for (const agent of agents) {
    const own = cells.filter(({ known, loss }) => known === agent && loss === undefined);
    expect(new Set(own.map(({ phase, victim }) => `${phase} ${victim}`)).size).toBe(19);
  }
});

test("all agents, some agents or one cell can be chosen", () => {
  expect(names("--all")).toContain("gemini");
  expect(names("--only", "qwen,gemini")).toEqual(["qwen", "gemini"]);
  const { cells } = choiceOf(["--only", "qwen", "--phase", "tool", "--victim", "host"]);
  expect(cells).toMatchObject([{ phase: "tool", victim: "host" }]);
});

test.for([
  [["--only", "clippy"], /no agent clippy; there are claude-agent-acp/],
  [["--phase", "moon"], /no phase moon; there are turn, stream/],
  [["--victim", "me"], /no victim me; there are agent, holder/],
  [["--docs", "--phase", "tool"], /leave out --phase/],
  [["--loud"], /--loud/],
] as const)("%j is refused with what is there", ([args, why]) => {
  expect(() => choiceOf(args)).toThrow(why);
});
