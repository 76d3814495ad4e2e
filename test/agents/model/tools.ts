/**
 * Builds tool calls. Agents name their tools and arguments differently; the request's schemas define
 * them.
 */

import type { OfferedTool, Schema } from "./conversation.ts";

export type ToolWish =
  | { readonly kind: "write"; readonly file: string }
  | { readonly kind: "shell"; readonly command: string };

export interface Call {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

const writers = ["write", "write_file", "create"];
const shells = ["bash", "run_shell_command", "exec_command", "shell"];

/** Content of a written file. */
export const writtenText = "written by the model\n";

/** A call that fulfils the wish; null when no tool can do it. */
export function callOf(wish: ToolWish, tools: readonly OfferedTool[]): Call | null {
  if (wish.kind === "write") {
    const writer = toolNamed(writers, tools);
    if (writer) return { name: writer.name, input: inputFor(writer.schema, wish) };
  }
  const shell = toolNamed(shells, tools);
  if (!shell) return null;
  const command = wish.kind === "shell" ? wish.command : writeCommand(wish.file);
  return { name: shell.name, input: inputFor(shell.schema, { kind: "shell", command }) };
}

function toolNamed(names: readonly string[], tools: readonly OfferedTool[]) {
  return tools.find(({ name }) => names.includes(name.toLowerCase()));
}

const writeCommand = (file: string) => `printf '%s' ${quoted(writtenText)} > ${quoted(file)}`;
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

function inputFor({ properties = {}, required = [] }: Schema, wish: ToolWish): Call["input"] {
  const filled = Object.entries(properties).flatMap(([name, schema]): [string, unknown][] => {
    const value = meant(name, schema, wish);
    if (value !== undefined) return [[name, value]];
    return required.includes(name) ? [[name, anyOf(schema)]] : [];
  });
  return Object.fromEntries(filled);
}

function meant(name: string, { type }: Schema, wish: ToolWish): unknown {
  if (wish.kind === "write") {
    if (/^(file_?path|path|file)$/i.test(name)) return wish.file;
    if (/^(content|contents|text|file_text)$/i.test(name)) return writtenText;
    return undefined;
  }
  if (/^(cmd|command)$/i.test(name)) {
    return type === "array" ? ["bash", "-c", wish.command] : wish.command;
  }
  // Codex asks its user only about commands that must leave its sandbox.
  if (name === "sandbox_permissions") return "require_escalated";
  return undefined;
}

function anyOf({ type, enum: choices }: Schema): unknown {
  if (choices !== undefined) return choices[0];
  if (type === "boolean") return false;
  if (type === "number" || type === "integer") return 0;
  if (type === "array") return [];
  return type === "object" ? {} : "as the test asks";
}
