/** Where sessions work: a directory of their own, or one of the person's. */

import { mkdir, readdir, realpath, rm, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import {
  HostError,
  isId,
  type SessionId,
  type SessionState,
  type WorkspaceMark,
} from "@holdfast/protocol";
import { lay } from "../agents/lay.ts";
import type { PinnedDefinitions } from "../agents/pinned-definitions.ts";
import type { AgentDefinition, AgentPlace } from "../agents/table.ts";
import { killRemains } from "../holder/remains.ts";
import { isWithin } from "../paths.ts";
import type { Look } from "../workspace/git.ts";
import { markOf } from "../workspace/mark.ts";
import { readStatus } from "../workspace/status.ts";
import type { WorkspaceTruth } from "./resume/workspace-truth.ts";

export class Workspaces {
  readonly #data: string;
  readonly #pinned: PinnedDefinitions;
  readonly #onError: (session: SessionId, error: unknown) => void;
  #scratch: Promise<string> | null = null;

  constructor(
    data: string,
    pinned: PinnedDefinitions,
    onError: (session: SessionId, error: unknown) => void,
  ) {
    this.#data = data;
    this.#pinned = pinned;
    this.#onError = onError;
  }

  pathOf({ id, workspace }: SessionState): string {
    return workspace.path ?? join(this.#data, "workspaces", id);
  }

  /**
   * Why no agent may work in that directory of the person's, where it must not: among the host's own
   * files it could read every tenant's work and secrets, and undo the journal.
   */
  refusalOf(path: string): HostError | null {
    if (!isWithin(path, this.#data) && !isWithin(this.#data, path)) return null;
    return new HostError(
      "bad_input",
      `The workspace ${path} holds the data directory ${this.#data}, or lies in it. Choose another one, or start the host with its data elsewhere (--data).`,
    );
  }

  /** Makes what is ours to make; what is the person's must be there, and be theirs. */
  async prepare(state: SessionState): Promise<AgentPlace> {
    const workspace = this.pathOf(state);
    const own = join(this.#data, "agents", state.id);
    await mkdir(own, { recursive: true, mode: 0o700 });
    if (state.workspace.path === null) await mkdir(workspace, { recursive: true, mode: 0o700 });
    if (!(await isDirectory(workspace))) throw missing(workspace);
    // Looked at for each launch: a link may lead elsewhere by now.
    const refused = state.workspace.path === null ? null : this.refusalOf(workspace);
    if (refused !== null) throw refused;
    const at = { workspace, state: own };
    // As it was created: what is set since then is for sessions that are still to come.
    if (state.definition === null) return { ...at, home: null, mcpServers: [] };
    const home = join(own, "home");
    const { files, mcpServers } = await this.#pinned.read(state.definition);
    await lay(files, home);
    return { ...at, home, mcpServers };
  }

  /** A place for an agent that is only looked at, and no session's. */
  async trial(
    agent: AgentDefinition,
    id: string,
  ): Promise<{ place: AgentPlace; remove: () => Promise<void> }> {
    const root = join(this.#data, "agents", id);
    const [workspace, state, home] = [join(root, "work"), join(root, "state"), join(root, "home")];
    const pinned = await this.pin(agent);
    for (const dir of [workspace, state, home]) await mkdir(dir, { recursive: true, mode: 0o700 });
    const { files, mcpServers } =
      pinned === null ? { files: [], mcpServers: [] } : await this.#pinned.read(pinned);
    await lay(files, home);
    return {
      place: { workspace, state, home: agent.ownHome === true ? home : null, mcpServers },
      remove: () => rm(root, { recursive: true, force: true, maxRetries: 3 }),
    };
  }

  /** What an earlier life left of agents that it was only looking at: by the mark of each. */
  async clearTrials(): Promise<void> {
    const left = await readdir(join(this.#data, "agents")).catch(() => []);
    for (const id of left.filter((name) => isId("holder", name))) {
      await killRemains({ holderId: id, leaders: [] });
      await rm(join(this.#data, "agents", id), { recursive: true, force: true });
    }
  }

  /** What a new session of this agent keeps; null where it shares the person's home. */
  async pin({ definition, ownHome }: AgentDefinition): Promise<string | null> {
    if (definition !== undefined) return this.#pinned.pin(definition);
    return ownHome === true ? this.#pinned.keep([]) : null;
  }

  /** Where its files are, with every link followed; null before the first agent needed any. */
  async rootOf(state: SessionState): Promise<string | null> {
    const path = this.pathOf(state);
    if (!(await isDirectory(path))) {
      if (await this.isThere(state)) return null;
      throw missing(path);
    }
    const refused = state.workspace.path === null ? null : this.refusalOf(path);
    if (refused !== null) throw refused;
    const root = await realpath(path);
    // What we made is no link: one in its place leads to what is not the session's.
    const isMoved = root !== join(await realpath(dirname(path)), basename(path));
    if (state.workspace.path === null && isMoved) throw missing(path);
    return root;
  }

  /** How git may look at it; null before the first agent needed any files. */
  async lookOf(state: SessionState): Promise<Look | null> {
    const root = await this.rootOf(state);
    if (root === null) return null;
    // A person may give a part of their repository; what we made is never a part of one.
    const { kind, path } = state.workspace;
    const upTo = kind === "in-place" && path !== null ? await home() : null;
    return { root, scratch: await this.#clearedScratch(), upTo };
  }

  /**
   * As its git says, by one command; null where there is none, or where it cannot be asked. Never
   * rejects: an agent comes up without it, and may have done so before anyone looks at this.
   */
  async truth(state: SessionState): Promise<WorkspaceTruth | null> {
    try {
      const look = await this.lookOf(state);
      return look === null ? null : await readStatus(look);
    } catch (error) {
      if (!(error instanceof HostError)) this.#onError(state.id as SessionId, error);
      return null;
    }
  }

  /** For a later comparison; null where it cannot be read. Never rejects, as `truth` does not. */
  async mark(state: SessionState): Promise<WorkspaceMark | null> {
    try {
      const look = await this.lookOf(state);
      return look === null ? null : await markOf(look);
    } catch (error) {
      if (!(error instanceof HostError)) this.#onError(state.id as SessionId, error);
      return null;
    }
  }

  /** Where git is given its directories; the first look of each life clears what the last one left. */
  #clearedScratch(): Promise<string> {
    this.#scratch ??= clearedFolder(join(this.#data, "looks")).catch((error: unknown) => {
      this.#scratch = null;
      throw error;
    });
    return this.#scratch;
  }

  /** With the session go the directories that were made for it; a person's own are theirs. */
  async remove(session: SessionId): Promise<void> {
    for (const folder of ["workspaces", "agents"]) {
      await rm(join(this.#data, folder, session), { recursive: true, force: true });
    }
  }

  /** A workspace that was never needed is not missing. */
  async isThere(state: SessionState): Promise<boolean> {
    if (state.workspace.path === null && !state.runtime.seen) return true;
    return isDirectory(this.pathOf(state));
  }
}

/** Whoever has none, as in some containers, has the whole file system. */
async function home(): Promise<string> {
  try {
    return await realpath(homedir());
  } catch {
    return "/";
  }
}

async function clearedFolder(path: string): Promise<string> {
  await rm(path, { recursive: true, force: true });
  await mkdir(path, { recursive: true, mode: 0o700 });
  return path;
}

function missing(workspace: string): HostError {
  return new HostError(
    "workspace_missing",
    `The workspace ${workspace} is gone. Put it back, or start a new session.`,
  );
}

async function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
