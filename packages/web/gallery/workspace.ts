/** A sample workspace with awkward files. */

import type {
  FileChangeView,
  WorkspaceEntryView,
  WorkspaceFileView,
  WorkspaceFolderView,
} from "@holdfast/protocol";
import type { ChangesProps } from "../src/components/side-pane/changes.tsx";
import { seenChange } from "../src/diff/change.ts";

const file = (over: Partial<FileChangeView> & { path: string }): FileChangeView => ({
  oldPath: null,
  kind: "modified",
  binary: false,
  added: 0,
  removed: 0,
  patch: "",
  truncated: false,
  ...over,
});

const patch = `diff --git a/src/auth/token.ts b/src/auth/token.ts
index 4c1f0aa..9b21e07 100644
--- a/src/auth/token.ts
+++ b/src/auth/token.ts
@@ -8,7 +8,9 @@ import { keys } from "./keys.ts";
 
 export function verify(token: string, now: number): Claims {
   const { kid, body, mac } = parse(token);
-  const key = keys.current();
+  const key = keys.find(({ id }) => id === kid);
+  if (key === undefined) throw new Unknown(kid);
+  if (now - key.madeAt > HOUR) throw new Expired(kid);
   if (!equal(mac, sign(key, body))) throw new Forged();
   return JSON.parse(body);
 }
@@ -31,3 +33,4 @@ function parse(token: string) {
 }
 
 const MINUTE = 60_000;
+const HOUR = 60 * MINUTE;
`;

export const changes: ChangesProps = {
  changes: [
    file({ path: "assets/anchor.png", binary: true }),
    file({ path: "docs/old-plan.md", kind: "deleted", removed: 84 }),
    file({ path: "src/auth/keys.ts", kind: "untracked", added: 13 }),
    file({ path: "src/auth/token.ts", added: 4, removed: 1, patch }),
    file({ path: "src/auth/verify.test.ts", oldPath: "test/verify.ts", kind: "renamed" }),
    file({
      path: "packages/harbour/src/integration/the-name-of-a-file-that-is-wider-than-a-phone.test.ts",
      added: 12,
      removed: 3,
    }),
    file({ path: "package-lock.json", added: 1204, removed: 377, truncated: true }),
  ].map(seenChange),
  source: "disk",
  truncated: true,
};

const entry = (name: string, over: Partial<WorkspaceEntryView>): WorkspaceEntryView => ({
  name,
  kind: "file",
  size: null,
  target: null,
  ...over,
});

const folderView: WorkspaceFolderView = {
  kind: "folder",
  path: "src/auth",
  entries: [
    entry("fixtures", { kind: "folder" }),
    entry("agent.sock", { kind: "other" }),
    entry("keys.ts", { size: 1840 }),
    entry("latest", { kind: "link", target: "../../releases/2026-11-04/bundle.js" }),
    entry("recording-of-a-very-long-night-in-the-harbour-with-a-long-name.bin", {
      size: 48_120_331,
    }),
    entry("right\u202eto\u202cleft.ts", { size: 12 }),
    entry("token.ts", { size: 612 }),
  ],
  truncated: true,
};

const text = `/** Keys with an id; the current one signs, all of the last hour verify. */

export interface Key {
  readonly id: string;
  readonly secret: string;
  readonly madeAt: number;
}

export function rotate(keys: readonly Key[], now: number): readonly Key[] {
  const kept = keys.filter(({ madeAt }) => now - madeAt < HOUR);
  return [newKey(now), ...kept];
}
`;

const fileView = (over: Partial<WorkspaceFileView>): WorkspaceFileView => ({
  kind: "file",
  path: "src/auth/keys.ts",
  size: 1840,
  binary: false,
  text,
  truncated: false,
  ...over,
});

const none = { found: null, problem: null };
const anchor = "assets/anchor.png";

export const folder = { ...none, path: "src/auth", found: folderView };
export const opened = { ...none, path: "src/auth/keys.ts", found: fileView({ truncated: true }) };
export const binary = {
  ...none,
  path: anchor,
  found: fileView({ path: anchor, size: 24_881, binary: true, text: null }),
};
export const outside = {
  ...none,
  path: "src/auth/latest",
  problem: "This path leads out of the workspace. Give a path inside it.",
};
