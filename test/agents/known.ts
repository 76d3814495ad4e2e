/** How each real agent is started so that it speaks with the fake model, from a home of its own. */

import { claudeBridge } from "../../packages/server/src/agents/claude/launch.ts";
import { installedFile } from "./install.ts";
import { type Pin, pins } from "./pins.ts";

export interface Place {
  /** Where its configuration and its state are, and nothing else's. */
  readonly home: string;
  readonly workspace: string;
  /** The model, without `/v1`. */
  readonly model: string;
}

export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** To be there beforehand, by path within its home. */
  readonly files?: Readonly<Record<string, string>>;
}

export interface KnownAgent {
  readonly pin: Pin;
  /** Run also without `--all`. */
  readonly isUsual: boolean;
  /** In which it asks its user and nobody else. */
  readonly mode?: string;
  /** How long its session must be left alone before it is loaded. */
  readonly restMs?: number;
  /** How long (ms) its replay may go on after it said that its session is loaded. */
  readonly lateReplay?: number;
  launch(place: Place): Launch;
}

const KEY = "no-real-key";
/** Of a request that the model refused. */
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
    // In its usual mode it asks a second model instead of the user.
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
      // Its npm command is a wrapper that dies alone and leaves the agent behind.
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
      // Its npm command is a loader that dies alone in the middle of a turn.
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
        // Else it fills a cache from the package registry at its start, and needs none of it.
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
          // Else it asks after each turn what to remember and what the user may want next.
          memory: { enableManagedAutoMemory: false },
          ui: { enableFollowupSuggestions: false },
        }),
      },
    }),
  },
  {
    pin: pins.gemini,
    isUsual: false,
    // A load within the minute in which the session was made empties its file.
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
          // Left to itself it asks another model which model to ask.
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
    // Else it asks after each turn what the user may want next, as if the user had asked.
    CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION: "false",
    DISABLE_AUTOUPDATER: "1",
    DISABLE_TELEMETRY: "1",
    // Its own ten take three minutes, also where the key is refused.
    CLAUDE_CODE_MAX_RETRIES: String(RETRIES),
  };
}

function codexHome(
  home: string,
  model: string,
  settings: Readonly<Record<string, string>>,
): Pick<Launch, "env" | "files"> {
  const provider = {
    ...{ name: "fake", base_url: `${model}/v1`, env_key: "FAKE_KEY", wire_api: "responses" },
    ...{ request_max_retries: RETRIES, stream_max_retries: RETRIES },
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

/** A string or a number is the same in JSON and in TOML. */
function tomlLines(values: Readonly<Record<string, string | number>>): string[] {
  return Object.entries(values).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
}
