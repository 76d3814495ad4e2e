/** What can be seen of a session's workspace. Paths are relative to it, with `/` between their names. */

import { z } from "zod";

const size = z.number().int().nonnegative();

export const workspaceStatusShape = z.object({
  /** Whether there is one to ask; without it nothing below is known. */
  repository: z.boolean(),
  /** Null where HEAD stands on a commit and on no branch. */
  branch: z.string().nullable(),
  /** Null in a repository without a commit. */
  head: z.string().nullable(),
  /** Files that differ from HEAD; a long list ends by saying how many more there are. */
  dirty: z.array(z.string()),
  diffStat: z.string(),
});

export const changeKinds = ["added", "modified", "deleted", "renamed", "untracked"] as const;

export const fileChangeShape = z.object({
  path: z.string(),
  /** What it was called before; null where it was called the same, or was not there. */
  oldPath: z.string().nullable(),
  kind: z.enum(changeKinds),
  /** Not made of lines: it has no patch to read, and no lines to count. */
  binary: z.boolean(),
  added: size,
  removed: size,
  /** As git writes it. */
  patch: z.string(),
  /** The patch is only its beginning, or nothing of it; ask for this one path to get more. */
  truncated: z.boolean(),
});

export const workspaceDiffShape = z.object({
  repository: z.boolean(),
  head: z.string().nullable(),
  files: z.array(fileChangeShape),
  /** More than is shown: of some patch, or of files. */
  truncated: z.boolean(),
});

export const entryKinds = ["file", "folder", "link", "other"] as const;

export const workspaceEntryShape = z.object({
  name: z.string(),
  kind: z.enum(entryKinds),
  /** Of a file. */
  size: size.nullable(),
  /** Of a link, as it is written there; it may lead anywhere, or nowhere. */
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
  /** Null where it is binary; its bytes come with `?raw`. */
  text: z.string().nullable(),
  truncated: z.boolean(),
});

export type WorkspaceStatusView = z.infer<typeof workspaceStatusShape>;
export type FileChangeView = z.infer<typeof fileChangeShape>;
export type WorkspaceDiffView = z.infer<typeof workspaceDiffShape>;
export type WorkspaceEntryView = z.infer<typeof workspaceEntryShape>;
export type WorkspaceFolderView = z.infer<typeof workspaceFolderShape>;
export type WorkspaceFileView = z.infer<typeof workspaceFileShape>;
