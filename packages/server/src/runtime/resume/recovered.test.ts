import { RECOVERED_PARTS, RECOVERED_TEXT } from "@holdfast/protocol";
import { parseCommand } from "@holdfast/protocol/schemas";
import { expect, test } from "vitest";
import { recovering } from "./recovered.ts";
import { answered, called, run, said } from "./testing/known.ts";

test("recovered parts belong to the cut-off run, else to no run", () => {
  const { id } = run("interrupted");
  for (const outcome of ["interrupted", "failed", "cancelled", null] as const) {
    const { of } = recovering("a", run(outcome), [called("t1")]);
    expect(of).toEqual({ runId: id, attempt: 1 });
  }
  expect(recovering("a", run("completed"), [called("t1")]).of).toBeNull();
  expect(recovering("a", null, [called("t1")]).of).toBeNull();
});

test("long words are several parts that make them up exactly, and all of it has a bound", () => {
  const long = "ab".repeat(RECOVERED_TEXT);
  const { parts } = recovering("a", null, [answered(long), said(long), called("t1")]);
  expect(parts.map(({ type }) => type)).toEqual(["text", "text", "user", "tool"]);
  const text = parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  expect(text).toBe(long);
  const many = Array.from({ length: 2000 }, (_, n) => called(`t${n}`));
  const recovered = recovering("a", null, many);
  expect(recovered.parts).toHaveLength(RECOVERED_PARTS);
  expect(parseCommand("recover", recovered)).toMatchObject({ agentSessionId: "a" });
});
