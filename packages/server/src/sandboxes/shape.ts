/**
 * A shape is what a program in a sandbox has: the files it sees and may write, its home, folder and
 * environment, its network, limits and user. It is plain data, made from facts by a pure function,
 * and every provider obeys as much of it as it can.
 *
 * A path inside is the same string as outside. Only the home and /tmp are folders of the session,
 * shown where the person's own would be.
 */

import type { GitPlaces } from "./git-masks.ts";

export type Mount =
  /** The place `from` outside, shown at `path`. With `make` the folder is made before the start. */
  | {
      readonly kind: "read" | "write";
      readonly path: string;
      readonly from: string;
      readonly make?: true;
    }
  | { readonly kind: "link"; readonly path: string; readonly target: string }
  /** An empty folder that nobody can write. */
  | { readonly kind: "folder"; readonly path: string }
  /** A read-only file with this text. With `make` it is written outside too, and stays there. */
  | { readonly kind: "file"; readonly path: string; readonly text: string; readonly make?: true };

export type Network = "none" | "host";

/** Absent is unlimited. */
export interface Limits {
  readonly memoryBytes?: number;
  readonly processes?: number;
  /** A share of the processors, relative to 100 for every other program. */
  readonly cpuWeight?: number;
}

export interface Shape {
  /** Parents stand before what lies in them; a later mount covers an earlier one. */
  readonly mounts: readonly Mount[];
  readonly home: string;
  readonly cwd: string;
  /** Names of the variables that reach the program; all others are dropped. */
  readonly environment: readonly string[];
  readonly network: Network;
  readonly limits: Limits;
  /** The user that the program is, inside and outside. */
  readonly uid: number;
  readonly gid: number;
}

export interface ShapeRefusal {
  readonly refused: "path_denied" | "path_missing" | "link_planted";
  readonly path: string;
  readonly message: string;
}

export interface ShapeFacts {
  readonly workspace: {
    readonly path: string;
    readonly kind: "worktree" | "clone" | "in-place" | "copy" | "empty";
    /** The directories of the person's repository, for a worktree and in place. */
    readonly git: GitPlaces | null;
  };
  /** The person's own home and PATH. */
  readonly home: string;
  readonly path: string;
  /** Folders of the session that are shown as its home, as /tmp and as a worktree's reflogs. */
  readonly privateHome: string;
  readonly tmp: string;
  readonly reflogs: string;
  /** Programs that must be there: the agent's, our Node, our own sources. */
  readonly programs: readonly string[];
  readonly data: string;
  /** The person's own entries; `~` is the home. */
  readonly read: readonly string[];
  readonly write: readonly string[];
  readonly environment: readonly string[];
  readonly network: Network;
  readonly limits: Limits;
  readonly user: { readonly name: string; readonly uid: number; readonly gid: number };
}
