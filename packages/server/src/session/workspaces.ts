/** Where sessions work: a directory of their own, or one of the person's. */

import { existsSync } from "node:fs";
import { lstat, mkdir, opendir, readdir, realpath, rm, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import {
  HostError,
  isId,
  type SessionId,
  type SessionState,
  type WorkspaceContents,
  type WorkspaceLoss,
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
import type { Found } from "./resume/reconcile.ts";
import { shortFiles, type Written } from "./resume/short-files.ts";
import type { WorkspaceTruth } from "./resume/workspace-truth.ts";

export interface WorkspacesOptions {
  readonly data: string;
  readonly pinned: PinnedDefinitions;
  /** True when sessions of this tenant may work in directories of the host's user. */
  readonly mayWorkInPlace: (tenant: string) => boolean;
  readonly onError: (session: SessionId, error: unknown) => void;
  /** Folders in which git is looked for, written like PATH. */
  readonly gitPath?: string;
}

/** They show the host's own process, and every other one of its user. */
const SYSTEM_PLACES = ["/proc", "/sys", "/dev"];

export class Workspaces {
  readonly #options: WorkspacesOptions;
  readonly #data: string;
  readonly #pinned: PinnedDefinitions;
  readonly #onError: (session: SessionId, error: unknown) => void;
  #scratch: Promise<string> | null = null;

  constructor(options: WorkspacesOptions) {
    this.#options = options;
    this.#data = options.data;
    this.#pinned = options.pinned;
    this.#onError = options.onError;
  }

  pathOf({ id, workspace }: SessionState): string {
    return workspace.path ?? join(this.#data, "workspaces", id);
  }

  /**
   * The directory that this path leads to now, with every link followed, or why no session of the
   * tenant may work there. Links are followed once, and the place they led to is judged and used: a
   * link that is changed meanwhile changes nothing.
   */
  async placeOf(path: string, tenant: string): Promise<string | HostError> {
    if (!this.#options.mayWorkInPlace(tenant)) {
      return new HostError(
        "forbidden",
        'Only sessions of the host\'s own tenant may work "in-place". Use an "empty" workspace.',
      );
    }
    const real = await realpath(path).catch(() => null);
    if (real === null || !(await isDirectory(real))) return missing(path);
    return this.#refusalOf(real) ?? real;
  }

  #refusalOf(real: string): HostError | null {
    const place = SYSTEM_PLACES.find((dir) => existsSync(dir) && isWithin(real, dir));
    if (place !== undefined) {
      return new HostError(
        "bad_input",
        `The workspace ${real} lies in ${place}. Choose another one.`,
      );
    }
    // Among the host's own files an agent could read every tenant's work, and undo the journal.
    if (!isWithin(real, this.#data) && !isWithin(this.#data, real)) return null;
    return new HostError(
      "bad_input",
      `The workspace ${real} holds the data directory ${this.#data}, or lies in it. Choose another one, or start the host with its data elsewhere (--data).`,
    );
  }

  /** Makes what is ours to make; what is the person's must be there, and be theirs. */
  async prepare(state: SessionState): Promise<AgentPlace> {
    const own = join(this.#data, "agents", state.id);
    await mkdir(own, { recursive: true, mode: 0o700 });
    // Looked at for each launch: a link may lead elsewhere by now.
    const at = { workspace: await this.#launchPlace(state), state: own };
    // As it was created: what is set since then is for sessions that are still to come.
    if (state.definition === null) return { ...at, home: null, mcpServers: [] };
    const home = join(own, "home");
    const { files, mcpServers } = await this.#pinned.read(state.definition);
    await lay(files, home);
    return { ...at, home, mcpServers };
  }

  async #launchPlace(state: SessionState): Promise<string> {
    const { path } = state.workspace;
    if (path !== null) return orThrow(await this.placeOf(path, state.tenant));
    const workspace = this.pathOf(state);
    await mkdir(workspace, { recursive: true, mode: 0o700 });
    if (!(await isDirectory(workspace))) throw missing(workspace);
    return workspace;
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
    if (state.workspace.path !== null) {
      return orThrow(await this.placeOf(state.workspace.path, state.tenant));
    }
    const path = this.pathOf(state);
    if (!(await isDirectory(path))) {
      if (await this.isThere(state)) return null;
      throw lost(path);
    }
    const root = await realpath(path);
    // What we made is no link: one in its place leads to what is not the session's.
    if (root !== join(await realpath(dirname(path)), basename(path))) throw missing(path);
    return root;
  }

  /** How git may look at it; null before the first agent needed any files. */
  async lookOf(state: SessionState): Promise<Look | null> {
    const root = await this.rootOf(state);
    if (root === null) return null;
    // A person may give a part of their repository; what we made is never a part of one.
    const { kind, path } = state.workspace;
    const upTo = kind === "in-place" && path !== null ? await home() : null;
    const { gitPath } = this.#options;
    const found = gitPath === undefined ? {} : { path: gitPath };
    return { root, scratch: await this.#clearedScratch(), upTo, ...found };
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

  /** What a resumed agent and its receipt are told: git's word, and files that are too short. */
  async look(state: SessionState, written: readonly Written[]): Promise<Found> {
    const truth = await this.truth(state);
    const root = written.length === 0 ? null : await this.rootOf(state).catch(() => null);
    const short = root === null ? [] : await shortFiles(root, written);
    return { truth, short, lost: state.runtime.workspaceLost ?? null };
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
    const isNew = !state.runtime.seen || state.lastMessageAt === null;
    if (state.workspace.path === null && isNew) return true;
    return isDirectory(this.pathOf(state));
  }

  /** What the folder holds now; null where it cannot be read. Never rejects. */
  async contents(state: SessionState): Promise<WorkspaceContents | null> {
    try {
      const folder = await opendir(this.pathOf(state));
      const first = await folder.read();
      await folder.close();
      return first === null ? "empty" : "files";
    } catch {
      return null;
    }
  }

  /**
   * The loss of the folder that an agent had; null where nothing is known to be lost. A person's own
   * folder that is gone is refused by `prepare`: only theirs to put back.
   */
  async lossOf(state: SessionState): Promise<WorkspaceLoss | null> {
    const { runtime, workspace } = state;
    if (!runtime.seen) return null;
    if (workspace.path === null && (await isAbsent(this.pathOf(state)))) return "gone";
    if (runtime.workspaceLeft !== "files") return null;
    return (await this.contents(state)) === "empty" ? "emptied" : null;
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

function lost(workspace: string): HostError {
  return new HostError(
    "workspace_missing",
    `The folder ${workspace} that its agent worked in is gone, with all that was in it. Put it back, or resume the session: its agent then gets a new, empty folder.`,
  );
}

function orThrow(place: string | HostError): string {
  if (place instanceof HostError) throw place;
  return place;
}

/** A path that cannot be looked at may still be there. */
async function isAbsent(path: string): Promise<boolean> {
  return lstat(path).then(
    () => false,
    (error: NodeJS.ErrnoException) => error.code === "ENOENT",
  );
}

async function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
