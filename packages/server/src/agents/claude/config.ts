/** What the environment tells the bridge. */

export interface BridgeConfig {
  /** The directory of the SDK's package. */
  readonly sdk: string;
  /** Where the bridge keeps what it must know in its next process. */
  readonly state: string;
  /** Whether the settings that a workspace itself brings are obeyed: its owner may be anyone. */
  readonly trustsWorkspace: boolean;
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
  const trustsWorkspace = env.HOLDFAST_CLAUDE_TRUSTS_WORKSPACE === "1";
  return { sdk, state, trustsWorkspace, env: { ...env } };
}

function required(env: NodeJS.ProcessEnv, name: string, what: string): string {
  const value = env[name];
  if (!value) throw new Error(`${name} is not set; set it to ${what}.`);
  return value;
}
