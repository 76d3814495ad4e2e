/** The state of a workspace from git, read in one round trip (R000-42, R000-43). */

export interface WorkspaceTruth {
  /** Null in a repository without a commit. */
  readonly head: string | null;
  readonly dirty: readonly string[];
  readonly diffStat: string;
}

/** The literal command of the requirement, without marker lines between its parts. */
export const truthCommand = "git status --porcelain && git rev-parse HEAD && git diff --stat";

/** The most files named in a prompt. */
const MOST_FILES = 100;
const MOST_STAT = 4000;

/** Parses the command's output; null without a repository. */
export function parseTruth(output: string, exitCode: number | null): WorkspaceTruth | null {
  const lines = output.split("\n");
  const at = lines.findIndex((line) => /^[0-9a-f]{40}([0-9a-f]{24})?$/.test(line));
  if (at < 0 && exitCode !== 0 && !lines.some(isStatus)) return null;
  const before = at < 0 ? lines : lines.slice(0, at);
  const files = before.filter(isStatus).map((line) => line.slice(3));
  const more = files.length - MOST_FILES;
  return {
    head: at < 0 ? null : (lines[at] as string),
    dirty: more > 0 ? [...files.slice(0, MOST_FILES), `and ${more} more`] : files,
    diffStat: at < 0 ? "" : statOf(lines.slice(at + 1)),
  };
}

const isStatus = (line: string) => /^[ MTADRCU?!]{2} ./.test(line);

function statOf(lines: readonly string[]): string {
  return lines.join("\n").trim().slice(0, MOST_STAT).toWellFormed();
}
