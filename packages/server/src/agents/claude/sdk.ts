/**
 * As much of `@anthropic-ai/claude-agent-sdk` as the bridge uses. It is no dependency: it belongs to
 * the person, in whatever version they have, so nothing of what it says is believed to have a shape.
 */

import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { isObject, type JsonObject, textOf } from "../acp-shape.ts";

export interface Sdk {
  readonly version: string;
  query(params: {
    readonly prompt: AsyncIterable<UserMessage>;
    readonly options: QueryOptions;
  }): Query;
  /** Empty when there is no such session. */
  getSessionMessages(sessionId: string): Promise<readonly unknown[]>;
}

export interface Query extends AsyncIterable<unknown> {
  /** Lets Claude end its turn and write that down. */
  interrupt(): Promise<unknown>;
}

export interface UserMessage {
  readonly type: "user";
  readonly message: { readonly role: "user"; readonly content: readonly object[] };
  readonly parent_tool_use_id: null;
}

/** Where a query begins: a new session under an id of ours, an old one, or a copy of an old one. */
export type Beginning =
  | { readonly sessionId: string }
  | { readonly resume: string; readonly resumeSessionAt?: string }
  | {
      readonly sessionId: string;
      readonly resume: string;
      readonly forkSession: true;
      readonly resumeSessionAt?: string;
    };

export type QueryOptions = Beginning & {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly abortController: AbortController;
  readonly canUseTool: CanUseTool;
  readonly disallowedTools: readonly string[];
  readonly includePartialMessages: boolean;
  readonly mcpServers: Readonly<Record<string, object>>;
  readonly permissionMode: "default";
  readonly settingSources: readonly ("user" | "project" | "local")[];
  readonly spawnClaudeCodeProcess: (wish: SpawnWish) => ChildProcess;
};

export interface SpawnWish {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

export type CanUseTool = (
  toolName: string,
  input: JsonObject,
  about: { readonly signal: AbortSignal; readonly toolUseID: string },
) => Promise<Permission>;

export type Permission =
  | { readonly behavior: "allow"; readonly updatedInput: JsonObject }
  | { readonly behavior: "deny"; readonly message: string; readonly interrupt?: boolean };

/** How it says that the id of a new session is an old session's. */
export const idInUse = /Session ID \S+ is already in use/;

export async function importSdk(directory: string): Promise<Sdk> {
  try {
    const manifest: unknown = JSON.parse(readFileSync(join(directory, "package.json"), "utf8"));
    const known = isObject(manifest) ? manifest : {};
    const entry = pathToFileURL(join(directory, entryOf(known)));
    const module = (await import(entry.href)) as Partial<Sdk>;
    if (typeof module.query !== "function" || typeof module.getSessionMessages !== "function") {
      throw new Error("it has no query() and getSessionMessages()");
    }
    const { query, getSessionMessages } = module;
    return { version: textOf(known.version) ?? "unknown", query, getSessionMessages };
  } catch (error) {
    throw new Error(
      `There is no usable Claude Agent SDK in ${directory}: ${(error as Error).message}. ` +
        "Install @anthropic-ai/claude-agent-sdk and set HOLDFAST_CLAUDE_SDK to its directory.",
    );
  }
}

/** What `import` would take, as the package's manifest says. */
function entryOf({ exports, main }: JsonObject): string {
  const root = isObject(exports) ? (exports["."] ?? exports) : exports;
  const target = isObject(root) ? (root.import ?? root.node ?? root.default) : root;
  const found = isObject(target) ? target.default : target;
  return textOf(found) ?? textOf(main) ?? "index.js";
}
