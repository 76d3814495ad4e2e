/** The commands that start each real agent with the fake model, from a home of its own. */

import { claudeBridge } from "../../packages/server/src/agents/claude/launch.ts";
import { installedFile } from "./install.ts";
import { type Pin, pins } from "./pins.ts";

export interface Place {
  /** Directory for the agent's configuration and state alone. */
  readonly home: string;
  readonly workspace: string;
  /** URL of the model, without `/v1`. */
  readonly model: string;
}

export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Files to create before the start, by path within the home. */
  readonly files?: Readonly<Record<string, string>>;
}

export interface KnownAgent {
  readonly pin: Pin;
  /** True when the agent also runs without `--all`. */
  readonly isUsual: boolean;
  /** The mode in which the agent asks only its user for permission. */
  readonly mode?: string;
  /** Idle time in ms that the session needs before it can be loaded. */
  readonly restMs?: number;
  /** Time in ms for which the replay may continue after the load was answered. */
  readonly lateReplay?: number;
  launch(place: Place): Launch;
}

const KEY = "no-real-key";
/** Retries after the model refused a request. */
const RETRIES = 2;
const native = `${process.platform}-${process.arch}`;

export const knownAgents: readonly KnownAgent[] = [
  {
    pin: pins["claude-agent-acp"],
    isUsual: true,
    launch: ({ home, model }) => ({
      ...node(pins["claude-agent-acp"], "dist/index.js"),
      env: claudeEnv(home, model),
    }),
  },
  {
    pin: pins["claude-agent-sdk"],
    isUsual: true,
    launch: ({ home, model }) => {
      const pin = pins["claude-agent-sdk"];
      const { env, ...bridge } = claudeBridge(installedFile(pin, pin.package), `${home}/bridge`);
      return { ...bridge, env: { ...claudeEnv(home, model), ...env } };
    },
  },
  {
    pin: pins["codex-acp"],
    isUsual: true,
    // In its default mode it asks a second model instead of the user.
    mode: "read-only",
    launch: ({ home, model }) => ({
      ...node(pins["codex-acp"], "dist/index.js"),
      ...codexHome(home, model, { approval_policy: "on-request" }),
    }),
  },
  {
    pin: pins["codex-acp-0.16"],
    isUsual: false,
    launch: ({ home, model }) => ({
      // The npm command is a wrapper that can die alone and leave the agent running.
      command: installedFile(
        pins["codex-acp-0.16"],
        `@zed-industries/codex-acp-${native}/bin/codex-acp`,
      ),
      args: [],
      ...codexHome(home, model, {
        approval_policy: "on-request",
        sandbox_mode: "read-only",
      }),
    }),
  },
  {
    pin: pins.copilot,
    isUsual: false,
    launch: ({ home, model }) => ({
      // The npm command is a loader that can die alone in the middle of a turn.
      command: installedFile(pins.copilot, `@github/copilot-${native}/copilot`),
      args: ["--acp", "--no-auto-update"],
      env: {
        COPILOT_HOME: `${home}/copilot`,
        COPILOT_OFFLINE: "true",
        COPILOT_PROVIDER_BASE_URL: `${model}/v1`,
        COPILOT_PROVIDER_TYPE: "openai",
        COPILOT_PROVIDER_API_KEY: KEY,
        COPILOT_MODEL: "fake",
        COPILOT_PROVIDER_MAX_PROMPT_TOKENS: "100000",
        COPILOT_PROVIDER_MAX_OUTPUT_TOKENS: "10000",
      },
    }),
  },
  {
    pin: pins.opencode,
    isUsual: false,
    launch: ({ home, model }) => ({
      command: installedFile(pins.opencode, "opencode-ai/bin/opencode.exe"),
      args: ["acp"],
      env: {
        XDG_CONFIG_HOME: `${home}/config`,
        XDG_DATA_HOME: `${home}/data`,
        XDG_CACHE_HOME: `${home}/cache`,
        XDG_STATE_HOME: `${home}/state`,
        OPENCODE_DISABLE_AUTOUPDATE: "1",
        OPENCODE_DISABLE_MODELS_FETCH: "1",
        OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
        OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
        // Stops it from filling a cache from the package registry at its start.
        npm_config_offline: "true",
      },
      files: {
        "config/opencode/opencode.json": JSON.stringify({
          autoupdate: false,
          share: "disabled",
          model: "fake/fake",
          enabled_providers: ["fake"],
          provider: {
            fake: {
              npm: "@ai-sdk/openai-compatible",
              options: { baseURL: `${model}/v1`, apiKey: KEY },
              models: { fake: { limit: { context: 100_000, output: 10_000 } } },
            },
          },
          permission: { edit: "ask", bash: "ask" },
        }),
      },
    }),
  },
  {
    pin: pins.qwen,
    isUsual: false,
    mode: "default",
    launch: ({ model }) => ({
      ...node(pins.qwen, "cli.js", "--acp", "--auth-type", "openai"),
      env: { OPENAI_API_KEY: KEY, OPENAI_BASE_URL: `${model}/v1`, OPENAI_MODEL: "fake" },
      files: {
        ".qwen/settings.json": JSON.stringify({
          security: { auth: { selectedType: "openai" } },
          privacy: { usageStatisticsEnabled: false },
          general: { enableAutoUpdate: false },
          telemetry: { enabled: false },
          // Stops extra requests after each turn, for memories and follow-up suggestions.
          memory: { enableManagedAutoMemory: false },
          ui: { enableFollowupSuggestions: false },
        }),
      },
    }),
  },
  {
    pin: pins.gemini,
    isUsual: false,
    // A load within the minute that created the session empties its file.
    restMs: 60_000,
    lateReplay: 1_500,
    launch: ({ model }) => ({
      ...node(pins.gemini, "bundle/gemini.js", "--acp"),
      env: {
        GEMINI_API_KEY: KEY,
        GOOGLE_GEMINI_BASE_URL: model,
        NO_BROWSER: "1",
        GEMINI_CLI_NO_RELAUNCH: "true",
      },
      files: {
        ".gemini/settings.json": JSON.stringify({
          security: { auth: { selectedType: "gemini-api-key" } },
          privacy: { usageStatisticsEnabled: false },
          // By default it asks another model which model to use.
          model: { name: "gemini-2.5-pro" },
          // With retention on, the second start after a load deletes the session.
          general: { enableAutoUpdate: false, sessionRetention: { enabled: false } },
        }),
      },
    }),
  },
];

function node(
  pin: Pin,
  file: string,
  ...args: readonly string[]
): Pick<Launch, "command" | "args"> {
  return { command: process.execPath, args: [installedFile(pin, pin.package, file), ...args] };
}

function claudeEnv(home: string, model: string): Record<string, string> {
  return {
    CLAUDE_CONFIG_DIR: `${home}/claude`,
    ANTHROPIC_BASE_URL: model,
    ANTHROPIC_API_KEY: KEY,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    // Stops a request after each turn for suggestions, which would look like one of the user's.
    CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION: "false",
    DISABLE_AUTOUPDATER: "1",
    DISABLE_TELEMETRY: "1",
    // Its default of ten retries takes three minutes, also when the key is refused.
    CLAUDE_CODE_MAX_RETRIES: String(RETRIES),
  };
}

function codexHome(
  home: string,
  model: string,
  settings: Readonly<Record<string, string>>,
): Pick<Launch, "env" | "files"> {
  const provider = {
    name: "fake",
    base_url: `${model}/v1`,
    env_key: "FAKE_KEY",
    wire_api: "responses",
    request_max_retries: RETRIES,
    stream_max_retries: RETRIES,
  };
  return {
    env: { CODEX_HOME: `${home}/codex`, FAKE_KEY: KEY },
    files: {
      "codex/config.toml": [
        ...tomlLines({ model: "fake", model_provider: "fake", ...settings }),
        "[model_providers.fake]",
        ...tomlLines(provider),
        "",
      ].join("\n"),
    },
  };
}

/** Strings and numbers are written alike in JSON and in TOML. */
function tomlLines(values: Readonly<Record<string, string | number>>): string[] {
  return Object.entries(values).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
}
