import { expect, test } from "vitest";
import { ruleWords } from "./rule.ts";

test("a rule is its tool and its input, or every input", () => {
  expect(ruleWords("execute", '{"command":"npm test"}')).toBe("Run npm test");
  expect(ruleWords("execute", "*")).toBe("Run, with any input");
  expect(ruleWords("Bash", "not json")).toBe("Bash not json");
});
