/** Runs auditor processes: one serves many data directories, and is replaced if it dies. */

import type { Audit, Question } from "./auditor.ts";
import { Child } from "./children.ts";
import { type CheckOptions, checkHistory, type Final, type Verdict } from "./history.ts";
import type { Entry } from "./records.ts";

const idle: Child[] = [];
const LIMIT_MS = 30_000;

export async function auditOf(data: string, raw = false): Promise<Audit> {
  let auditor = idle.pop();
  if (auditor?.isRunning !== true) auditor = new Child("auditor.ts", []);
  const asked = auditor.words.length;
  auditor.send(JSON.stringify({ data, raw } satisfies Question));
  try {
    const line = await auditor.until(
      (word) => word.startsWith("{") && (auditor as Child).words.indexOf(word) >= asked,
      LIMIT_MS,
    );
    auditor.words.length = 0;
    idle.push(auditor);
    return JSON.parse(line) as Audit;
  } catch (error) {
    await auditor.kill();
    return { error: `the next life died or hung: ${(error as Error).message}` };
  }
}

/** Opens the data in a new boot, lets it recover, and checks it against the history. */
export async function judge(
  data: string,
  entries: readonly Entry[],
  options: CheckOptions,
): Promise<
  Verdict & { final: Final | null; recovery: Readonly<Record<string, readonly string[]>> }
> {
  const audit = await auditOf(data);
  if ("error" in audit) {
    const nothing = { acked: 0, seen: 0, unknown: 0, final: null, recovery: {} };
    return { ...nothing, problems: [audit.error] };
  }
  const { final, recovery } = audit;
  return { ...checkHistory(entries, final, options), final, recovery };
}

export async function dismissAuditors(): Promise<void> {
  await Promise.all(idle.splice(0).map((auditor) => auditor.kill()));
}
