/**
 * The part of `@anthropic-ai/claude-agent-sdk` that the bridge uses. The person installs the SDK,
 * in any version, so it is not a dependency and the shape of its messages is always checked.
 */

import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { isObject, type JsonObject, textOf } from "../acp/acp-shape.ts";

export interface Sdk {
  readonly version: string;
  query(params: {
    readonly prompt: AsyncIterable<UserMessage>;
    readonly options: QueryOptions;
  }): Query;
  /** The messages of a session; empty when it does not exist. */
  getSessionMessages(sessionId: string): Promise<readonly unknown[]>;
}

export interface Query extends AsyncIterable<unknown> {
  /** Lets Claude end its turn and write its transcript. */
  interrupt(): Promise<unknown>;
}

export interface UserMessage {
  readonly type: "user";
  readonly message: { readonly role: "user"; readonly content: readonly object[] };
  readonly parent_tool_use_id: null;
}

/** The starting point of a query: a new session, an existing one, or a copy of one. */
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

type CanUseTool = (
  toolName: string,
  input: JsonObject,
  about: { readonly signal: AbortSignal; readonly toolUseID: string },
) => Promise<Permission>;

export type Permission =
  | { readonly behavior: "allow"; readonly updatedInput: JsonObject }
  | { readonly behavior: "deny"; readonly message: string; readonly interrupt?: boolean };

/** The SDK's error for a session id that already exists. */
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

/** The file that `import` would load, by the package's manifest. */
function entryOf({ exports, main }: JsonObject): string {
  const root = isObject(exports) ? (exports["."] ?? exports) : exports;
  const target = isObject(root) ? (root.import ?? root.node ?? root.default) : root;
  const found = isObject(target) ? target.default : target;
  return textOf(found) ?? textOf(main) ?? "index.js";
}
