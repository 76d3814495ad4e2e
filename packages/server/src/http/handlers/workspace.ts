/** Reads a session's workspace for display. It writes no files and runs no program of the workspace. */

import { HostError } from "@holdfast/protocol";
import { readDiff } from "../../workspace/diff.ts";
import { FairQueue } from "../../workspace/fair-queue.ts";
import { listTop, look, rawFile } from "../../workspace/files.ts";
import type { Look } from "../../workspace/git.ts";
import { relativePath } from "../../workspace/inside.ts";
import { SharedReads } from "../../workspace/shared-reads.ts";
import { readStatus } from "../../workspace/status.ts";
import { Bytes } from "../request/bytes.ts";
import type { HandlerDeps } from "../request/deps.ts";
import type { Ask, HandlersOf } from "../request/handler.ts";

type Names = "getWorkspaceStatus" | "getWorkspaceDiff" | "listFiles" | "readFile";

const noStatus = { repository: false, branch: null, head: null, dirty: [], diffStat: "" };
const noDiff = { repository: false, head: null, files: [], truncated: false };

/** Concurrent reads, each up to 10 s of git: as many as a small machine can bear. */
const AT_ONCE = 4;
/** Waiting reads per tenant; each page asks for two. */
const WAITING = 32;

export function workspaceHandlers({ host: { workspaces } }: HandlerDeps): HandlersOf<Names> {
  const reads = new SharedReads(new FairQueue(AT_ONCE, WAITING));

  async function withLook<T>(
    { caller: { tenant }, at: { state }, gone }: Ask<"getWorkspaceStatus" | "getWorkspaceDiff">,
    what: string,
    act: (look: Look) => Promise<T | null>,
  ): Promise<T | null> {
    const look = await workspaces.lookOf(state);
    if (look === null) return null;
    const request = { tenant, what: `${look.root} ${what}`, gone };
    return reads.run(request, (unwanted) => act({ ...look, gone: unwanted }));
  }

  return {
    async getWorkspaceStatus(ask) {
      return (await withLook(ask, "status", readStatus)) ?? noStatus;
    },

    async getWorkspaceDiff(ask) {
      const path = relativePath(ask.query.path ?? "");
      const read = (look: Look) => readDiff(look, path);
      return (await withLook(ask, `diff ${path}`, read)) ?? noDiff;
    },

    async listFiles({ at: { state } }) {
      const root = await workspaces.rootOf(state);
      return root === null
        ? { kind: "folder", path: "", entries: [], truncated: false }
        : listTop(root);
    },

    async readFile({ at: { state }, params, query: { raw } }) {
      const path = relativePath(params.path);
      const root = await workspaces.rootOf(state);
      if (root === null)
        throw new HostError("not_found", "This workspace is still empty. Send a message first.");
      if (raw === undefined) return look(root, path);
      const { size, stream } = await rawFile(root, path);
      return new Bytes(savedAs(path), size, stream);
    },
  };
}

/** The file's name with only characters that are safe inside a header. */
function savedAs(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1).replace(/[^\w.-]/g, "_");
}
