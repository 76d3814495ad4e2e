/** The content of a request to the model, independent of the wire format. */

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

export interface ToolResult {
  /** Id of the call that this result belongs to. */
  readonly id: string;
  readonly text: string;
}

export type Entry =
  | { readonly role: "system" | "user" | "assistant"; readonly text: string }
  | { readonly role: "assistant"; readonly toolCall: ToolCall }
  | { readonly role: "tool"; readonly toolResult: ToolResult };

export interface OfferedTool {
  readonly name: string;
  readonly schema: Schema;
}

/** The part of JSON schema that is needed to fill in arguments. */
export interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly enum?: readonly unknown[];
}

export interface Asked {
  readonly conversation: readonly Entry[];
  readonly tools: readonly OfferedTool[];
}

export const textOf = (entry: Entry): string =>
  "text" in entry ? entry.text : "toolResult" in entry ? entry.toolResult.text : "";

/** All texts of one role, in order. */
export function saidBy(role: Entry["role"], conversation: readonly Entry[]): string[] {
  return conversation.filter((entry) => entry.role === role).map(textOf);
}
