/** The workspaces of sessions: a directory of the session's own, or one of the person's. */

import { existsSync } from "node:fs";
import { lstat, mkdir, opendir, realpath, rm, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import {
  HostError,
  type SessionId,
  type SessionState,
  type WorkspaceContents,
  type WorkspaceLoss,
  type WorkspaceMark,
} from "@holdfast/protocol";
import type { PinnedDefinitions } from "../agents/definitions/pinned-definitions.ts";
import { writeDefinition } from "../agents/definitions/write-definition.ts";
import type { AgentPlace } from "../agents/table/table.ts";
import { isWithin } from "../base/paths.ts";
import { FairQueue } from "./fair-queue.ts";
import type { Look } from "./git.ts";
import { markOf } from "./mark.ts";
import { shortFiles, type WrittenFile } from "./short-files.ts";
import { readStatus } from "./status.ts";
import type { WorkspaceFindings } from "./workspace-findings.ts";
import type { WorkspaceTruth } from "./workspace-truth.ts";

interface WorkspacesOptions {
  readonly data: string;
  readonly pinned: PinnedDefinitions;
  /** True when sessions of this tenant may work in directories of the host's user. */
  readonly mayWorkInPlace: (tenant: string) => boolean;
  /** True once an agent of the session took a prompt; before that, no agent left files. */
  readonly hasWorked: (state: SessionState) => Promise<boolean>;
  readonly onError: (session: SessionId, error: unknown) => void;
  /** Folders in which git is searched for, written like PATH. */
  readonly gitPath?: string;
}

/** Gits at once for agents, each with up to 1.5 GB; reads for pages have their own limit. */
const GITS_AT_ONCE = 4;

/** System folders, which expose the processes of the host and of its user. */
const SYSTEM_PLACES = ["/proc", "/sys", "/dev"];

export class Workspaces {
  readonly #options: WorkspacesOptions;
  readonly #data: string;
  readonly #pinned: PinnedDefinitions;
  readonly #onError: (session: SessionId, error: unknown) => void;
  #scratch: Promise<string> | null = null;
  /** All that wait get their turn, because agents need these reads. */
  readonly #reads = new FairQueue(GITS_AT_ONCE, Number.POSITIVE_INFINITY);
  /** Each agent's folder by device and inode, which stay its own while the agent lives there. */
  readonly #folders = new Map<string, string>();
  /** Sessions whose live agent was found in another folder than the one at its path. */
  readonly #replaced = new Set<string>();

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
   * The directory that this path resolves to, or the reason why the tenant's sessions may not work
   * there. Links are resolved once, and the resolved path is checked and used, so a link that
   * changes meanwhile has no effect.
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

  /** The reason why sessions of this tenant may not work in that directory; null when they may. */
  async refuse(path: string, tenant: string): Promise<HostError | null> {
    const place = await this.placeOf(path, tenant);
    return place instanceof HostError ? place : null;
  }

  #refusalOf(real: string): HostError | null {
    const place = SYSTEM_PLACES.find((dir) => existsSync(dir) && isWithin(real, dir));
    if (place !== undefined) {
      return new HostError(
        "bad_input",
        `The workspace ${real} is inside ${place}. Choose another one.`,
      );
    }
    // In the host's own files an agent could read every tenant's work and damage the journal.
    if (!isWithin(real, this.#data) && !isWithin(this.#data, real)) return null;
    return new HostError(
      "bad_input",
      `The workspace ${real} contains the data directory ${this.#data}, or is inside it. Choose another one, or start the host with another data directory (--data).`,
    );
  }

  /** Prepares a launch's directories: creates the session's own, checks a person's. */
  async prepare(state: SessionState): Promise<AgentPlace> {
    const own = join(this.#data, "agents", state.id);
    await mkdir(own, { recursive: true, mode: 0o700 });
    // Resolved for each launch, because a link may have changed.
    const workspace = await this.#launchPlace(state);
    // Later folders are compared with the one of this launch.
    this.#replaced.delete(state.id);
    this.#folders.delete(state.id);
    await this.#isReplaced(state);
    const at = { workspace, state: own };
    // The definition pinned at creation; later definitions apply to new sessions only.
    if (state.definition === null) return { ...at, home: null, mcpServers: [] };
    const home = join(own, "home");
    const { files, mcpServers } = await this.#pinned.read(state.definition);
    await writeDefinition(files, home);
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

  /** The session's folder with links resolved; null before the first agent needed it. */
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
    // The host's own folder is never a link; a link in its place points outside the session.
    if (root !== join(await realpath(dirname(path)), basename(path))) throw missing(path);
    return root;
  }

  /** The settings to read the workspace with git; null before the first agent needed the folder. */
  async lookOf(state: SessionState): Promise<Look | null> {
    const root = await this.rootOf(state);
    if (root === null) return null;
    // A person's folder may be part of a repository; the host's own folder never is.
    const { kind, path } = state.workspace;
    const upTo = kind === "in-place" && path !== null ? await home() : null;
    const { gitPath } = this.#options;
    const found = gitPath === undefined ? {} : { path: gitPath };
    return { root, scratch: await this.#clearedScratch(), upTo, ...found };
  }

  /** The git status; null without a repository or when git fails. Never rejects. */
  truth(state: SessionState): Promise<WorkspaceTruth | null> {
    return this.#read(state, readStatus);
  }

  /** The state for a resumed agent and its receipt: git status, and files too short. */
  async look(state: SessionState, written: readonly WrittenFile[]): Promise<WorkspaceFindings> {
    const truth = await this.truth(state);
    const root = written.length === 0 ? null : await this.rootOf(state).catch(() => null);
    const short = root === null ? [] : await shortFiles(root, written);
    return { truth, short, lost: state.runtime.workspaceLost ?? null };
  }

  /** A mark for a later comparison; null when the workspace is unreadable. Never rejects. */
  mark(state: SessionState): Promise<WorkspaceMark | null> {
    return this.#read(state, markOf);
  }

  async #read<T>(state: SessionState, act: (look: Look) => Promise<T | null>): Promise<T | null> {
    try {
      const look = await this.lookOf(state);
      if (look === null) return null;
      const { signal } = new AbortController();
      return await this.#reads.run(state.tenant, signal, () => act(look));
    } catch (error) {
      if (!(error instanceof HostError)) this.#onError(state.id as SessionId, error);
      return null;
    }
  }

  /** Scratch folder for git; the first use in each boot clears leftovers. */
  #clearedScratch(): Promise<string> {
    this.#scratch ??= clearedFolder(join(this.#data, "looks")).catch((error: unknown) => {
      this.#scratch = null;
      throw error;
    });
    return this.#scratch;
  }

  /** Deletes the directories that were made for the session; a person's own are kept. */
  async remove(session: SessionId): Promise<void> {
    this.#folders.delete(session);
    this.#replaced.delete(session);
    for (const folder of ["workspaces", "agents"]) {
      await rm(join(this.#data, folder, session), { recursive: true, force: true });
    }
  }

  /** True when the workspace exists, or no agent worked there. */
  async isThere(state: SessionState): Promise<boolean> {
    if (await isDirectory(this.pathOf(state))) return true;
    return state.workspace.path === null && !(await this.#options.hasWorked(state));
  }

  /** The contents of the folder; null when it cannot be read. Never rejects. */
  async contents(state: SessionState): Promise<WorkspaceContents | null> {
    try {
      const folder = await opendir(this.pathOf(state));
      const first = await folder.read();
      await folder.close();
      if (first !== null) return "files";
      // This folder says nothing about the one that the agent left.
      return this.#replaced.has(state.id) ? null : "empty";
    } catch {
      return null;
    }
  }

  /** The loss of an agent's folder, or null; `prepare` refuses a person's own that is gone. */
  async lossOf(state: SessionState): Promise<WorkspaceLoss | null> {
    const loss = await this.#missing(state);
    return loss !== null && (await this.#options.hasWorked(state)) ? loss : null;
  }

  /**
   * True when the folder of a live agent is gone, also when another one is at its path: only a
   * restart gives the agent a new one. Rejects for a person's own folder that is gone, because only
   * they can restore it.
   */
  async isGone(state: SessionState): Promise<boolean> {
    const path = this.pathOf(state);
    if (!(await isAbsent(path))) return this.#isReplaced(state);
    if (state.workspace.path !== null) throw missing(path);
    return this.#options.hasWorked(state);
  }

  /** Compares with the folder of the launch; in a later boot, with the first that was seen. */
  async #isReplaced(state: SessionState): Promise<boolean> {
    const found = await stat(this.pathOf(state), { bigint: true }).catch(() => null);
    if (found === null) return false;
    const folder = `${found.dev}:${found.ino}`;
    const known = this.#folders.get(state.id) ?? folder;
    this.#folders.set(state.id, known);
    if (known !== folder) this.#replaced.add(state.id);
    return known !== folder;
  }

  async #missing(state: SessionState): Promise<WorkspaceLoss | null> {
    const { id, runtime, workspace } = state;
    if (workspace.path === null && (await isAbsent(this.pathOf(state)))) return "gone";
    if (this.#replaced.has(id)) return (await this.contents(state)) === "files" ? null : "gone";
    if (runtime.workspaceLeft !== "files") return null;
    return (await this.contents(state)) === "empty" ? "emptied" : null;
  }
}

/** The home folder; the whole file system when there is none, as in some containers. */
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
    `The workspace ${workspace} is missing. Put it back, or start a new session.`,
  );
}

function lost(workspace: string): HostError {
  return new HostError(
    "workspace_missing",
    `The agent's folder ${workspace} is missing. Put it back, or resume the session: the agent then gets a new, empty folder.`,
  );
}

function orThrow(place: string | HostError): string {
  if (place instanceof HostError) throw place;
  return place;
}

/** True only when the path does not exist; a path that cannot be read may exist. */
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
