/**
 * One row of the agent table: what Holdfast must know to start an agent, to bring it back, and to
 * tell people what it lacks. Data alone, so that a person's own row in the config file is the same.
 */

/** Where an agent's program is looked for; the first that is found is started. */
export type Way =
  /** A package's own command. One in JavaScript runs on Holdfast's Node, whatever the person has. */
  | { readonly npm: string; readonly bin: string; readonly args: readonly string[] }
  /**
   * The program inside a package's platform part, `{platform}` and `{arch}` being this machine's:
   * for packages whose command is a wrapper that dies alone and leaves the agent behind.
   */
  | { readonly npm: string; readonly native: string; readonly args: readonly string[] }
  /** An executable on the PATH, or at an absolute path. */
  | { readonly bin: string; readonly args: readonly string[] }
  /** An agent process of Holdfast's own, which may drive a package that is the person's to install. */
  | { readonly ours: "demo" }
  | { readonly ours: "claude"; readonly npm: string };

export interface AgentRow {
  readonly name: string;
  readonly title: string;
  readonly ways: readonly Way[];
  /** What to type to get it. */
  readonly install: string;
  /** Variables of the host's environment that it may see: credentials, mostly. */
  readonly pass: readonly string[];
  /** Variables it gets; `{home}`, `{state}` and `{workspace}` stand for its places. */
  readonly env: Readonly<Record<string, string>>;
  /** Hosts it must reach, for whoever restricts the network. */
  readonly hosts: readonly string[];
  /** Variables that name its directories, and where each is in a home of the session's own. */
  readonly home: Readonly<Record<string, string>>;
  /** Where in a home it keeps its sessions: without it nothing can be loaded again. */
  readonly keeps: readonly string[];
  /** `native`: it can load its own session again, and is asked to. */
  readonly resume: "native" | "none";
  /** Told what it does not know: always (it has no way of its own), when its own fails, or never. */
  readonly history: "inject" | "fallback" | "never";
  /** It was stopped and let go on in a test, and took up its work. */
  readonly freeze: boolean;
  readonly mode?: string;
  readonly lateReplay?: number;
  /** The release that `npm run test:agents` was run with; absent where it was not tried. */
  readonly tested?: string;
  /** The login command, and the files or variables that show a login. */
  readonly login?: {
    readonly how: string;
    /** Variables of the environment that stand for a login. */
    readonly env: readonly string[];
    /** Files in its home that a login leaves. */
    readonly files: readonly string[];
  };
  /** What a person should know about it, with the reason. */
  readonly quirks: readonly string[];
}
