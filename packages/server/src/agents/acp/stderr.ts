/** Finds the line of an agent's stderr that explains its exit; the last is often a version. */

const LONGEST = 160;

const tells =
  /\b\w*(error|exception)\b|\b(fatal|panic|cannot|can't|could not|unable|not found|no such|denied|unsupported|requires?|missing|invalid|failed|expired|log ?in|api key)\b/i;

/** An error as runtimes print it, before the stack. */
const thrown = /^\s*(Uncaught )?\w*(Error|Exception)\b.*: /;

export function helpfulLine(stderr: string): string {
  const lines = stderr
    .slice(-8000)
    .split("\n")
    .filter((line) => line.trim() !== "");
  const best =
    lines.findLast((line) => thrown.test(line)) ??
    lines.findLast((line) => tells.test(line)) ??
    lines.at(-1) ??
    "";
  return Buffer.from(best.trim().slice(0, LONGEST)).toString();
}
