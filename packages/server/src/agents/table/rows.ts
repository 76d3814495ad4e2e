/** The built-in agent rows. Their capabilities were measured: docs/agents.md. */

import type { AgentRow, Way } from "./row.ts";

const npm = (name: string, bin: string, ...args: string[]): Way => ({ npm: name, bin, args });
const native = (name: string, file: string, ...args: string[]): Way => ({
  npm: name,
  native: file,
  args,
});
const onPath = (bin: string, ...args: string[]): Way => ({ bin, args });
const global = (name: string) => ({ command: `npm install -g ${name}` });

const claudeAdapter = "@agentclientprotocol/claude-agent-acp";
const claudeSdk = "@anthropic-ai/claude-agent-sdk";
const codexAdapter = "@agentclientprotocol/codex-acp";
const codexAdapterOfZed = "@zed-industries/codex-acp";

const usual = {
  env: {},
  hosts: [],
  home: {},
  keeps: [],
  resume: "native",
  history: "fallback",
  freeze: false,
  quirks: [],
} as const satisfies Partial<AgentRow>;

const providerKeys = [
  "ANTHROPIC_API_KEY",
  "OPENAI_API_KEY",
  "GEMINI_API_KEY",
  "OPENROUTER_API_KEY",
] as const;

const claudeLogins = [
  "ANTHROPIC_API_KEY",
  "ANTHROPIC_AUTH_TOKEN",
  "CLAUDE_CODE_OAUTH_TOKEN",
  "CLAUDE_CODE_USE_BEDROCK",
  "CLAUDE_CODE_USE_VERTEX",
] as const;

const claude = {
  ...usual,
  pass: [
    ...claudeLogins,
    ...["ANTHROPIC_BASE_URL", "ANTHROPIC_MODEL", "CLAUDE_CONFIG_DIR"],
    ...["AWS_PROFILE", "AWS_REGION", "GOOGLE_APPLICATION_CREDENTIALS"],
  ],
  // An update must not replace the program during a session.
  env: { DISABLE_AUTOUPDATER: "1" },
  hosts: ["api.anthropic.com", "claude.ai", "console.anthropic.com"],
  home: { CLAUDE_CONFIG_DIR: ".claude" },
  keeps: [".claude/projects"],
  login: {
    how: "run claude and type /login, or set ANTHROPIC_API_KEY for the host",
    env: claudeLogins,
    files: [".claude/.credentials.json"],
  },
} satisfies Partial<AgentRow>;

const codex = {
  ...usual,
  pass: ["OPENAI_API_KEY", "OPENAI_BASE_URL", "CODEX_API_KEY", "CODEX_HOME"],
  hosts: ["api.openai.com", "chatgpt.com", "auth.openai.com"],
  home: { CODEX_HOME: ".codex" },
  keeps: [".codex/sessions"],
  login: {
    how: "run codex login, or set OPENAI_API_KEY for the host",
    env: ["OPENAI_API_KEY", "CODEX_API_KEY"],
    files: [".codex/auth.json"],
  },
} satisfies Partial<AgentRow>;

/** The demo agent: it needs no key, edits real files, and obeys commands in the prompt. */
export const demoRow: AgentRow = {
  ...usual,
  name: "demo",
  title: "Demo agent",
  ways: [{ ours: "demo" }],
  install: null,
  pass: ["HOLDFAST_DEMO_PACE_MS"],
  env: { HOLDFAST_AGENT_STATE: "{state}" },
  freeze: true,
};

export const agentRows: readonly AgentRow[] = [
  demoRow,
  {
    ...claude,
    name: "claude-code",
    title: "Claude Code",
    ways: [npm(claudeAdapter, "claude-agent-acp"), onPath("claude-agent-acp")],
    install: global(claudeAdapter),
    tested: "0.99.0",
    quirks: [
      "When killed, it leaves a child process that runs for some seconds. Holdfast ends that process before it restarts the agent.",
    ],
  },
  {
    ...claude,
    name: "claude",
    title: "Claude (Agent SDK)",
    ways: [{ ours: "claude", npm: claudeSdk }],
    install: global(claudeSdk),
    tested: "0.3.325",
    quirks: [
      "It ignores settings, hooks and CLAUDE.md of the workspace, because anyone may have written them. If you trust the workspace, set HOLDFAST_CLAUDE_TRUSTS_WORKSPACE to 1 in its env.",
    ],
  },
  {
    ...codex,
    name: "codex",
    title: "Codex",
    ways: [npm(codexAdapter, "codex-acp")],
    install: global(codexAdapter),
    tested: "2.6.0",
    quirks: [
      'In its default mode a second model answers questions for you. To be asked yourself, set its mode to "read-only".',
      "When the provider fails, it reports success, with the error as its answer.",
    ],
  },
  {
    ...codex,
    name: "codex-zed",
    title: "Codex (older adapter)",
    // The package's command is a wrapper; the agent and its tools outlive it.
    ways: [native(codexAdapterOfZed, `${codexAdapterOfZed}-{platform}-{arch}/bin/codex-acp`)],
    install: global(codexAdapterOfZed),
    tested: "0.16.0",
  },
  {
    ...usual,
    name: "copilot",
    title: "GitHub Copilot",
    // The package's command is a loader that can die alone in the middle of a turn.
    ways: [
      native(
        "@github/copilot",
        "@github/copilot-{platform}-{arch}/copilot",
        ...["--acp", "--no-auto-update"],
      ),
      onPath("copilot", "--acp", "--no-auto-update"),
    ],
    install: global("@github/copilot"),
    tested: "1.0.102",
    login: {
      how: "run copilot and type /login, or set GH_TOKEN for the host",
      env: ["GH_TOKEN", "GITHUB_TOKEN", "COPILOT_GITHUB_TOKEN"],
      files: [".copilot/config.json"],
    },
    pass: ["GH_TOKEN", "GITHUB_TOKEN", "COPILOT_GITHUB_TOKEN", "COPILOT_HOME", "COPILOT_MODEL"],
    hosts: ["api.githubcopilot.com", "api.github.com", "github.com"],
    home: { COPILOT_HOME: ".copilot" },
    keeps: [".copilot/session-state"],
    quirks: ["When the provider fails, it reports success, with the error as its answer."],
  },
  {
    ...usual,
    name: "opencode",
    title: "OpenCode",
    ways: [npm("opencode-ai", "opencode", "acp"), onPath("opencode", "acp")],
    install: global("opencode-ai"),
    tested: "1.18.33",
    login: {
      how: "run opencode auth login, or set the key of your provider for the host",
      env: ["OPENCODE_API_KEY", ...providerKeys],
      files: [".local/share/opencode/auth.json"],
    },
    pass: [
      "OPENCODE_CONFIG",
      "OPENCODE_API_KEY",
      ...providerKeys,
      ...["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"],
    ],
    env: { OPENCODE_DISABLE_AUTOUPDATE: "1" },
    hosts: ["opencode.ai", "models.dev"],
    home: {
      XDG_CONFIG_HOME: ".config",
      XDG_DATA_HOME: ".local/share",
      XDG_CACHE_HOME: ".cache",
      XDG_STATE_HOME: ".local/state",
    },
    keeps: [".local/share/opencode"],
  },
  {
    ...usual,
    name: "gemini",
    title: "Gemini CLI",
    ways: [npm("@google/gemini-cli", "gemini", "--acp"), onPath("gemini", "--acp")],
    install: global("@google/gemini-cli"),
    tested: "0.61.0",
    login: {
      how: "run gemini once and choose how to log in, or set GEMINI_API_KEY for the host",
      env: ["GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENAI_USE_VERTEXAI"],
      files: [".gemini/oauth_creds.json"],
    },
    pass: [
      "GEMINI_API_KEY",
      "GOOGLE_API_KEY",
      "GOOGLE_CLOUD_PROJECT",
      "GOOGLE_CLOUD_LOCATION",
      "GOOGLE_GENAI_USE_VERTEXAI",
      "GOOGLE_GEMINI_BASE_URL",
      "GOOGLE_APPLICATION_CREDENTIALS",
    ],
    // A relaunch by itself would replace the process that the holder watches.
    env: { NO_BROWSER: "1", GEMINI_CLI_NO_RELAUNCH: "true" },
    hosts: ["generativelanguage.googleapis.com", "cloudcode-pa.googleapis.com"],
    keeps: [".gemini/tmp"],
    lateReplay: 1_500,
    quirks: [
      "It may delete a session after loading it. To prevent that, set general.sessionRetention.enabled to false in ~/.gemini/settings.json. Holdfast tells it what it has lost.",
      "A session that is loaded within a minute of its creation is empty. Holdfast then tells it the conversation.",
    ],
  },
  {
    ...usual,
    name: "qwen",
    title: "Qwen Code",
    ways: [npm("@qwen-code/qwen-code", "qwen", "--acp"), onPath("qwen", "--acp")],
    install: global("@qwen-code/qwen-code"),
    tested: "0.24.4",
    login: {
      how: "run qwen once and choose how to log in, or set OPENAI_API_KEY for the host",
      env: ["OPENAI_API_KEY", "DASHSCOPE_API_KEY"],
      files: [".qwen/oauth_creds.json"],
    },
    pass: ["OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL", "DASHSCOPE_API_KEY"],
    hosts: ["portal.qwen.ai", "dashscope.aliyuncs.com"],
    keeps: [".qwen/projects"],
    // Its default mode never asks for permission.
    mode: "default",
    quirks: [
      "Older versions accept a session id that does not exist and start empty. Holdfast notices that and tells it the conversation.",
    ],
  },
  {
    ...usual,
    name: "auggie",
    title: "Auggie",
    ways: [npm("@augmentcode/auggie", "auggie", "--acp"), onPath("auggie", "--acp")],
    install: global("@augmentcode/auggie"),
    pass: ["AUGMENT_API_TOKEN", "AUGMENT_API_URL", "AUGMENT_SESSION_AUTH"],
    hosts: ["api.augmentcode.com", "auth.augmentcode.com"],
    keeps: [".augment"],
    quirks: ["Only its start was tested: more needs a login with its vendor."],
  },
  {
    ...usual,
    name: "amp",
    title: "Amp",
    ways: [onPath("amp-acp")],
    install: { advice: "put an ACP adapter for Amp named amp-acp on the PATH" },
    pass: ["AMP_API_KEY", "AMP_URL"],
    hosts: ["ampcode.com"],
    resume: "none",
    history: "inject",
    quirks: ["Not tested: it needs a login with its vendor and a third-party adapter."],
  },
  {
    ...usual,
    name: "pi",
    title: "Pi",
    ways: [npm("pi-acp", "pi-acp"), onPath("pi-acp")],
    install: global("pi-acp"),
    pass: providerKeys,
    keeps: [".pi"],
    quirks: ["Not usable in our test: its adapter did not create a session."],
  },
  {
    ...usual,
    name: "goose",
    title: "Goose",
    ways: [onPath("goose", "acp")],
    install: { advice: "see the project's website; it is not an npm package" },
    pass: [
      "GOOSE_PROVIDER",
      "GOOSE_MODEL",
      "ANTHROPIC_API_KEY",
      "OPENAI_API_KEY",
      "GOOGLE_API_KEY",
      "OPENROUTER_API_KEY",
    ],
    keeps: [".local/share/goose"],
    quirks: ["Not tested."],
  },
];
