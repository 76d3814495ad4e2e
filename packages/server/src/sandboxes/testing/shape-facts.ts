/** A person's machine in a temporary folder, and the facts of a session on it. */

import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { ShapeFacts } from "../shape.ts";

export function personsMachine() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "hf-shape-")));
  // A user of its own reaches the folders through this one.
  chmodSync(root, 0o755);
  const home = join(root, "home");
  const session = join(root, "data", "sessions", "one");
  const workspace = join(root, "data", "workspaces", "one");
  for (const dir of [home, session, workspace]) mkdirSync(dir, { recursive: true });
  const facts: ShapeFacts = {
    workspace: { path: workspace, kind: "empty", git: null },
    home,
    path: "/usr/bin:/bin",
    privateHome: join(session, "home"),
    tmp: join(session, "tmp"),
    reflogs: join(session, "reflogs"),
    programs: [],
    data: join(root, "data"),
    read: [],
    write: [],
    environment: ["PATH", "HOME"],
    network: "none",
    limits: {},
    user: { name: "user", uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 },
  };
  /** Writes a file, with the folders above it. */
  const file = (path: string, text = "", mode = 0o644): string => {
    const whole = join(root, path);
    mkdirSync(dirname(whole), { recursive: true });
    writeFileSync(whole, text, { mode });
    return whole;
  };
  const remove = () => rmSync(root, { recursive: true, force: true });
  return { root, home, session, workspace, facts, file, remove };
}
