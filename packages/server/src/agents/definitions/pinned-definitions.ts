/** Agent definitions by the hash of their content; a session keeps its first one (R001-4). */

import { mkdirSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { HostError, type Json } from "@holdfast/protocol";
import { replacePrivate } from "../../base/private-file.ts";
import { sha256 } from "../../base/sha256.ts";
import { parseMcpServers } from "./mcp.ts";
import { decodeTree, encodeTree, readTree, type TreeFile } from "./tree.ts";

interface PinnedDefinition {
  readonly files: readonly TreeFile[];
  readonly mcpServers: readonly Json[];
}

/** Sent to the agent by the protocol; the agent finds all other files by itself. */
const MCP_FILE = "mcp.json";

export class PinnedDefinitions {
  readonly #dir: string;

  constructor(dir: string) {
    this.#dir = dir;
  }

  /** Stores the content of a directory; returns its hash once it is durable. */
  async pin(source: string): Promise<string> {
    return this.keep(await readTree(source));
  }

  async keep(files: readonly TreeFile[]): Promise<string> {
    parseMcpServers(mcpText(files));
    const text = encodeTree(files);
    const hash = sha256(text);
    const path = join(this.#dir, hash);
    if (await isThere(path)) return hash;
    mkdirSync(this.#dir, { recursive: true, mode: 0o700 });
    replacePrivate(path, text);
    return hash;
  }

  async read(hash: string): Promise<PinnedDefinition> {
    const text = await readFile(join(this.#dir, hash), "utf8").catch(() => "");
    if (sha256(text) !== hash) {
      throw new HostError(
        "agent_missing",
        `The agent definition ${hash.slice(0, 12)} of this session is missing or damaged. Restore ${this.#dir} from a backup, or start a new session.`,
      );
    }
    const files = decodeTree(text);
    return { files, mcpServers: parseMcpServers(mcpText(files)) };
  }
}

function mcpText(files: readonly TreeFile[]): string | null {
  return files.find(({ path }) => path === MCP_FILE)?.content.toString("utf8") ?? null;
}

const isThere = (path: string) =>
  stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
