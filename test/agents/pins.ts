/**
 * The exact version of each tested agent: with "latest" a failure could not be traced to a cause.
 */

export interface Pin {
  /** Folder of the installation, and the agent's name in these tests. */
  readonly name: string;
  readonly package: string;
  readonly version: string;
  /** Packages whose install scripts must run, because the agent does not start without them. */
  readonly scripts?: readonly string[];
}

export const pins = {
  "claude-agent-acp": {
    name: "claude-agent-acp",
    package: "@agentclientprotocol/claude-agent-acp",
    version: "0.99.0",
  },
  "codex-acp": {
    name: "codex-acp",
    package: "@agentclientprotocol/codex-acp",
    version: "2.6.0",
  },
  "codex-acp-0.16": {
    name: "codex-acp-0.16",
    package: "@zed-industries/codex-acp",
    version: "0.16.0",
  },
  "claude-agent-sdk": {
    name: "claude-agent-sdk",
    package: "@anthropic-ai/claude-agent-sdk",
    version: "0.3.325",
  },
  copilot: { name: "copilot", package: "@github/copilot", version: "1.0.102" },
  opencode: {
    name: "opencode",
    package: "opencode-ai",
    version: "1.18.33",
    scripts: ["opencode-ai"],
  },
  qwen: { name: "qwen", package: "@qwen-code/qwen-code", version: "0.24.4" },
  gemini: { name: "gemini", package: "@google/gemini-cli", version: "0.61.0" },
} as const satisfies Readonly<Record<string, Pin>>;
