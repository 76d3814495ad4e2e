/** Shapes of a workspace in the API. Paths are relative to it, with `/` as separator. */

import { z } from "zod";

const size = z.number().int().nonnegative();

export const workspaceStatusShape = z.object({
  /** True when the workspace is a git repository; otherwise the other fields are unknown. */
  repository: z.boolean(),
  /** Null when HEAD is detached. */
  branch: z.string().nullable(),
  /** Null in a repository without a commit. */
  head: z.string().nullable(),
  /** Files that differ from HEAD; a long list ends by saying how many more there are. */
  dirty: z.array(z.string()),
  diffStat: z.string(),
});

const changeKinds = ["added", "modified", "deleted", "renamed", "untracked"] as const;

export const fileChangeShape = z.object({
  path: z.string(),
  oldPath: z.string().nullable(),
  kind: z.enum(changeKinds),
  /** True for a binary file, which has no patch and no line counts. */
  binary: z.boolean(),
  added: size,
  removed: size,
  patch: z.string(),
  /** True when the patch is cut or left out; a request for this one path returns more. */
  truncated: z.boolean(),
});

export const workspaceDiffShape = z.object({
  repository: z.boolean(),
  head: z.string().nullable(),
  files: z.array(fileChangeShape),
  truncated: z.boolean(),
});

const entryKinds = ["file", "folder", "link", "other"] as const;

export const workspaceEntryShape = z.object({
  name: z.string(),
  kind: z.enum(entryKinds),
  size: size.nullable(),
  /** The target of a link, as written in it; it may lead anywhere. Null for other kinds. */
  target: z.string().nullable(),
});

export const workspaceFolderShape = z.object({
  kind: z.literal("folder"),
  path: z.string(),
  /** Folders first, then by name. */
  entries: z.array(workspaceEntryShape),
  truncated: z.boolean(),
});

export const workspaceFileShape = z.object({
  kind: z.literal("file"),
  path: z.string(),
  size,
  binary: z.boolean(),
  /** Null for a binary file, whose bytes come with `?raw`. */
  text: z.string().nullable(),
  truncated: z.boolean(),
});

export type WorkspaceStatusView = z.infer<typeof workspaceStatusShape>;
export type FileChangeView = z.infer<typeof fileChangeShape>;
export type WorkspaceDiffView = z.infer<typeof workspaceDiffShape>;
export type WorkspaceEntryView = z.infer<typeof workspaceEntryShape>;
export type WorkspaceFolderView = z.infer<typeof workspaceFolderShape>;
export type WorkspaceFileView = z.infer<typeof workspaceFileShape>;
