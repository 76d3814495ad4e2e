/** What the environment tells the bridge. */

export interface BridgeConfig {
  /** The directory of the SDK's package. */
  readonly sdk: string;
  /** Where the bridge keeps what it must know in its next process. */
  readonly state: string;
  /** Claude's own: the host has chosen what an agent may see. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

export function readBridgeConfig(env: NodeJS.ProcessEnv = process.env): BridgeConfig {
  const sdk = required(
    env,
    "HOLDFAST_CLAUDE_SDK",
    "the directory of @anthropic-ai/claude-agent-sdk",
  );
  const state = required(env, "HOLDFAST_AGENT_STATE", "a directory for the bridge's own state");
  return { sdk, state, env: { ...env } };
}

function required(env: NodeJS.ProcessEnv, name: string, what: string): string {
  const value = env[name];
  if (!value) throw new Error(`${name} is not set; set it to ${what}.`);
  return value;
}
