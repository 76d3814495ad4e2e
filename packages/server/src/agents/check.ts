/** Test-starts an agent without a prompt: its reply, its capabilities, a load of no session. */

import * as acp from "@agentclientprotocol/sdk";
import { type AgentCheckView, HostError } from "@holdfast/protocol";
import type { Clock } from "../base/clock.ts";
import { inTime } from "../base/in-time.ts";
import { AgentProcess } from "../holder/agent/agent-process.ts";
import type { LaunchSpec } from "../holder/spool/frames.ts";
import { errorOf } from "./acp/acp.ts";
import { helpfulLine } from "./acp/stderr.ts";
import type { AgentDefinition, AgentPlace } from "./table/table.ts";
import { unwritableDirectories } from "./table/unwritable-directories.ts";

export interface CheckOptions {
  /** Marks the processes of this check; holders never use this id. */
  readonly id: string;
  readonly version: string;
  readonly clock: Clock;
  readonly limit: number;
  readonly umask: number;
  /** True when this machine can end every process of an agent, even one that escapes. */
  readonly survivorsEnd: boolean;
}

/** A session id that no agent has issued. */
const NOBODYS_SESSION = "00000000-0000-4000-8000-000000000000";

export async function checkAgent(
  agent: AgentDefinition,
  place: AgentPlace,
  options: CheckOptions,
): Promise<AgentCheckView> {
  const missing = agent.missing();
  if (missing !== null) throw new HostError("agent_missing", missing);
  const spec = agent.launch(place);
  const trial = new Trial(spec, options);
  try {
    const start = options.clock.steady();
    const hello = await trial.initialize();
    const startMs = options.clock.steady() - start;
    const made = await trial.newSession(place);
    const { agentCapabilities, agentInfo, authMethods } = hello;
    const { tested } = agent.row ?? {};
    const login = agent.login?.(place) ?? null;
    const canLoad = agentCapabilities?.loadSession === true;
    return {
      name: agent.name,
      command: [spec.command, ...spec.args],
      version: agentInfo?.version ?? agent.version(),
      protocolVersion: hello.protocolVersion,
      startMs,
      newMs: made.ms,
      can: [...(canLoad ? ["load"] : []), ...namesIn(agentCapabilities?.sessionCapabilities)],
      modes: made.modes,
      logins: (authMethods ?? []).map(({ name }) => name),
      unwritable: await unwritableDirectories(agent, place),
      unknownSession: canLoad ? await trial.loadUnknown(place) : null,
      problem: made.problem,
      ...(tested === undefined ? {} : { tested }),
      ...(login === null ? {} : { login: { ...login, looked: [...login.looked] } }),
      isolation: "none",
      survivorsEnd: options.survivorsEnd,
    };
  } finally {
    await trial.end();
  }
}

class Trial {
  readonly #options: CheckOptions;
  readonly #process: AgentProcess;
  readonly #connection: acp.ClientConnection;
  readonly #gone = Promise.withResolvers<{ readonly words: string }>();

  constructor(spec: LaunchSpec, options: CheckOptions) {
    this.#options = options;
    const output = new TransformStream<Uint8Array, Uint8Array>();
    const said = output.writable.getWriter();
    this.#process = new AgentProcess({
      holderId: options.id,
      spec,
      namespaces: false,
      umask: options.umask,
      onOutput: (chunk) => void said.write(chunk).catch(() => undefined),
      onGone: ({ code, signal, stderr }) => {
        said.close().catch(() => undefined);
        const how = signal ?? `exit code ${code}`;
        const line = helpfulLine(stderr);
        this.#gone.resolve({ words: `it exited (${how})${line && `: ${line}`}` });
      },
    });
    this.#process.go();
    const input = new WritableStream<Uint8Array>({
      write: (chunk) => this.#process.write(Buffer.from(chunk)),
    });
    this.#connection = acp
      .client({ name: "holdfast" })
      .onNotification(acp.methods.client.session.update, () => undefined)
      .connect(acp.ndJsonStream(input, output.readable));
  }

  async initialize(): Promise<acp.InitializeResponse> {
    const { version } = this.#options;
    const asked = this.#connection.agent.request(acp.methods.agent.initialize, {
      protocolVersion: acp.PROTOCOL_VERSION,
      clientInfo: { name: "holdfast", title: "Holdfast", version },
      clientCapabilities: {},
    });
    try {
      return await this.#answer(asked);
    } catch (error) {
      if (error instanceof HostError) throw error;
      const { message } = errorOf(error);
      throw new HostError(
        "launch_failed",
        `The agent started, but refused the first request: ${message}`,
      );
    }
  }

  /** Most agents without a login or a key report that here. */
  async newSession(
    place: AgentPlace,
  ): Promise<{ ms: number | null; modes: string[]; problem: string | null }> {
    const { clock } = this.#options;
    const start = clock.steady();
    try {
      const { modes } = await this.#answer<acp.NewSessionResponse>(
        this.#connection.agent.request(acp.methods.agent.session.new, whereOf(place)),
      );
      const names = (modes?.availableModes ?? []).map(({ id }) => id);
      return { ms: clock.steady() - start, modes: names, problem: null };
    } catch (error) {
      if (error instanceof HostError) throw error;
      return { ms: null, modes: [], problem: errorOf(error).message };
    }
  }

  /** Loads an unknown session: an agent that accepts any id cannot be trusted about loads. */
  async loadUnknown(place: AgentPlace): Promise<string> {
    const request = { sessionId: NOBODYS_SESSION, ...whereOf(place) };
    try {
      await this.#answer(this.#connection.agent.request(acp.methods.agent.session.load, request));
      return "taken";
    } catch (error) {
      if (error instanceof HostError) throw error;
      const { code } = error as { code?: unknown };
      return `refused (${typeof code === "number" ? code : "no code"})`;
    }
  }

  async end(): Promise<void> {
    await this.#process.end({ stdinMs: 500, termMs: 500 });
    await this.#gone.promise;
  }

  async #answer<T>(asked: Promise<T>): Promise<T> {
    const { clock, limit } = this.#options;
    const gone = this.#gone.promise.then(({ words }) => {
      throw new HostError("launch_failed", `The agent did not start: ${words}.`);
    });
    // The connection's own error for a closed peer explains less than the exit of the process.
    const told = asked.catch((error: unknown) => {
      if ((error as { code?: unknown }).code === undefined) return gone;
      throw error;
    });
    const answer = await inTime(clock, limit, Promise.race([told, gone]));
    if (answer !== null) return answer as T;
    throw new HostError("launch_failed", `The agent did not answer in ${limit / 1000} s.`);
  }
}

const whereOf = ({ workspace, mcpServers }: AgentPlace) => ({
  cwd: workspace,
  mcpServers: mcpServers as unknown as acp.McpServer[],
});

const namesIn = (capabilities: object | null | undefined): string[] =>
  Object.entries(capabilities ?? {}).flatMap(([name, value]) => (value ? [name] : []));
