/** The bridge's settings, read from its environment. */

interface BridgeConfig {
  readonly sdk: string;
  readonly state: string;
  /** True when Claude obeys the settings files of the workspace, which may come from a stranger. */
  readonly trustsWorkspace: boolean;
  /** Environment for Claude; the host has already filtered it. */
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
