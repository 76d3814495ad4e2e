/** Faults in the boundary around an agent's programs. */

import { type Mutant, mutantsIn } from "../mutant.ts";

const mutant = mutantsIn("packages/server/src/sandboxes", ["P39"]);

export const inSandboxes: readonly Mutant[] = [
  mutant(
    "sandbox-open-settings",
    "/proc/sys is not covered, and root's core pattern can be written from inside",
    ["bubblewrap", 'const readOnlyInProc = ["sys", ', "const readOnlyInProc = ["],
    ["bubblewrap", "/proc/sys"],
  ),
  mutant(
    "sandbox-outer-variables",
    "variables of the agent act on bubblewrap itself, outside the boundary",
    ["bubblewrap", "    env: {},", "    env: program.env,"],
    ["bubblewrap", "no variable of the program around it"],
  ),
  mutant(
    "sandbox-denied-parent",
    "a folder that contains a denied path is shown",
    ["denied", "isAtOrIn(one, end) || isAtOrIn(end, one)", "isAtOrIn(end, one)"],
    ["make-shape", "is refused as a parent, read or write"],
  ),
  mutant(
    "sandbox-denied-link",
    "a denied path is shown through a link",
    ["denied", "new Set([path, disk.real(path) ?? path])", "new Set([path])"],
    ["make-shape", "is refused through a link"],
  ),
  mutant(
    "sandbox-planted-link",
    "a link that an agent left in its home leads the next start's mounts outside",
    ["layers", "if (!isPlain(pin.from, disk)) return planted(pin.from);", ""],
    ["make-shape", "refuse a start over a link"],
  ),
  mutant(
    "sandbox-git-settings",
    "an agent in a worktree can change the repository's settings",
    [
      "git-masks",
      'binds: [{ kind: "read", path: common, from: common }]',
      'binds: [{ kind: "write", path: common, from: common }]',
    ],
    ["make-shape", "of a worktree is read-only"],
  ),
];
