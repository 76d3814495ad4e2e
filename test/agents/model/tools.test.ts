import { expect, test } from "vitest";
import { callOf } from "./tools.ts";

test("a tool's other required arguments are filled in by type, and optional ones are left out", () => {
  const properties = {
    command: { type: "array" },
    background: { type: "boolean" },
    timeout: { type: "integer" },
    scope: { enum: ["local", "global"] },
    note: { type: "string" },
  };
  const schema = { properties, required: ["command", "background", "timeout", "scope"] };
  expect(callOf({ kind: "shell", command: "ls" }, [{ name: "shell", schema }])).toEqual({
    name: "shell",
    input: { command: ["bash", "-c", "ls"], background: false, timeout: 0, scope: "local" },
  });
});

test("a file is written with the tool for it, also where a shell is offered first", () => {
  const tools = ["Bash", "Write"].map((name) => ({ name, schema: {} }));
  expect(callOf({ kind: "write", file: "/a" }, tools)).toMatchObject({ name: "Write" });
});

test("a wish without a matching tool makes no call", () => {
  expect(callOf({ kind: "write", file: "/a" }, [{ name: "Read", schema: {} }])).toBeNull();
});
