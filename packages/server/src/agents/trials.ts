/** Checks of agents outside of any session, each in temporary directories. */

import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { type AgentCheckView, HostError, isId } from "@holdfast/protocol";
import { hasNamespaces } from "../holder/agent/gate.ts";
import { killHolderProcesses } from "../holder/processes/holder-processes.ts";
import type { CheckOptions } from "./check.ts";
import type { PinnedDefinitions } from "./definitions/pinned-definitions.ts";
import { writeDefinition } from "./definitions/write-definition.ts";
import type { KnownAgents } from "./known-agents.ts";
import type { AgentPlace } from "./table/table.ts";

interface TrialsOptions extends Omit<CheckOptions, "id" | "survivorsEnd"> {
  readonly data: string;
  readonly agents: KnownAgents;
  readonly pinned: PinnedDefinitions;
  readonly newId: () => string;
}

export class Trials {
  readonly #options: TrialsOptions;
  readonly #root: string;

  constructor(options: TrialsOptions) {
    this.#options = options;
    this.#root = join(options.data, "agents");
  }

  async check(name: string): Promise<AgentCheckView> {
    const { agents, newId, ...options } = this.#options;
    if (agents.get(name) === undefined) {
      throw new HostError("agent_not_found", agents.unknown(name));
    }
    const agent = agents.installed(name);
    const id = newId();
    const dir = join(this.#root, id);
    const place = await this.#place(name, dir);
    try {
      // Loaded here, because it loads the SDK of the protocol, which hosts do without.
      const { checkAgent } = await import("./check.ts");
      return await checkAgent(agent, place, { ...options, id, survivorsEnd: hasNamespaces() });
    } finally {
      await rm(dir, { recursive: true, force: true, maxRetries: 3 });
    }
  }

  async #place(name: string, dir: string): Promise<AgentPlace> {
    const { agents, pinned } = this.#options;
    const [workspace, state, home] = [join(dir, "work"), join(dir, "state"), join(dir, "home")];
    const hash = await agents.pin(name);
    for (const made of [workspace, state, home]) {
      await mkdir(made, { recursive: true, mode: 0o700 });
    }
    const { files, mcpServers } =
      hash === null ? { files: [], mcpServers: [] } : await pinned.read(hash);
    await writeDefinition(files, home);
    const isOwn = agents.get(name)?.ownHome === true;
    return { workspace, state, home: isOwn ? home : null, mcpServers };
  }

  async clear(): Promise<void> {
    const left = await readdir(this.#root).catch(() => []);
    for (const id of left.filter((name) => isId("holder", name))) {
      await killHolderProcesses({ holderId: id, leaders: [] });
      await rm(join(this.#root, id), { recursive: true, force: true });
    }
  }
}
