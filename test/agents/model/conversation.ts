/** What a request to the model means, whichever wire format it came in. */

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

export interface ToolResult {
  /** Of the call it answers. */
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

/** As much of a JSON schema as it takes to fill in arguments. */
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

/** Everything one side said, in order. */
export function saidBy(role: Entry["role"], conversation: readonly Entry[]): string[] {
  return conversation.filter((entry) => entry.role === role).map(textOf);
}
