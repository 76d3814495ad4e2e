/**
 * [P7]: after a failed sync the process sends no further acknowledgement, and exits. [P8]: a full
 * disk is an error that callers see: data stays intact, reads continue, and freed space is enough.
 */

import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { spread } from "../../long/seeds.ts";
import { type Context, eachPoint, type Suite } from "../../long/suite.ts";
import { judge } from "../audit.ts";
import { Driven, type SpawnOptions, within } from "../children.ts";
import type { Job } from "../driver.ts";
import { SYNCS, strace, whyNoMount, whyNoStrace } from "../faults.ts";
import { dropFolder, newFolder } from "../places.ts";
import { type Entry, notes } from "../records.ts";
import { fullDisk } from "./full-disk.ts";
import { leftBehind } from "./killsweep.ts";

const MOST = 50;
const LIFE_MS = 30_000;
/** Time for an answer that was in transit between threads when the disk failed. */
const ON_ITS_WAY_MS = 100;
/** Time for a host to exit after a failed sync. */
const GOING_MS = 5_000;

export interface Fault {
  readonly error: "EIO" | "ENOSPC";
  readonly n: number;
  readonly mode: "once" | "forever";
}

export const iofault: Suite = {
  name: "iofault",
  async run(context) {
    const each = context.short ? 3 : MOST;
    const why = whyNoStrace();
    const titles = {
      EIO: `EIO at ${2 * each} syncs, once and for ever: the host ends, the failed record is unknown [P7]`,
      ENOSPC: `ENOSPC at ${2 * each} writes, once and for ever: refused, readable, no damage [P8]`,
    } as const;
    const left = why === null ? await leftBehind() : "";
    for (const error of ["EIO", "ENOSPC"] as const) {
      if (why === null) await context.test(titles[error], () => faults(context, left, error, each));
      else context.skip(titles[error], why);
    }
    const disk =
      "a disk that is really full: cancel and end still fit, reads go on, freeing space is enough [P8]";
    const noMount = whyNoMount();
    if (noMount === null) await context.test(disk, () => fullDisk());
    else context.skip(disk, noMount);
  },
};

async function faults(context: Context, left: string, error: Fault["error"], each: number) {
  const points = (["once", "forever"] as const).flatMap((mode) =>
    spread(context.random, each, MOST).map((n): Fault => ({ error, n, mode })),
  );
  return eachPoint(context, points, (fault) => failOnce(fault, left));
}

export async function failOnce(
  fault: Fault,
  left: string,
  options: Pick<SpawnOptions, "mutant"> = {},
): Promise<readonly string[]> {
  const folder = newFolder("iofault");
  cpSync(left, folder, { recursive: true });
  const job: Job = {
    data: join(folder, "data"),
    records: join(folder, "records"),
    work: { name: "stubborn", most: fault.mode === "once" ? 120 : 20 },
  };
  const log = join(folder, "calls");
  const host = new Driven(job, { under: under(fault, job.data, log), ...options });
  const said = await Promise.race([
    host
      .until((word) => /^(untouched|refused|recovered)$/.test(word), LIFE_MS)
      .catch(() => "ended"),
    host.exited.then(() => "ended"),
  ]);
  // The last word and the fault may cross, so a host that was hit gets time to exit.
  const isHit = Number.isFinite(failureIn(log));
  if (isHit && fault.error === "EIO") await within(GOING_MS, host.exited);
  const isAlive = host.isRunning;
  await host.kill();
  const entries = host.entries();
  const failedAt = failureIn(log);
  const { problems } = await judge(job.data, entries, { atLeast: 20 });
  const found = [...problems];
  if (fault.error === "EIO") {
    if (isHit && isAlive) found.push(`it went on after a failed sync, and was ${said}`);
    const late = entries.filter((e) => e.t === "ok" && e.at > failedAt + ON_ITS_WAY_MS).length;
    if (late > 0) found.push(`${late} acknowledgements after a failed sync`);
  } else found.push(...refusedWell(fault, said, isHit, entries, host.stderr));
  if (found.length === 0) dropFolder(folder);
  return found;
}

/** Time of the first injected fault; NaN without one. */
function failureIn(log: string): number {
  return Number(/^\d+ +([\d.]+) .*INJECTED/m.exec(readFileSync(log, "utf8"))?.[1]) * 1000;
}

function under({ error, n, mode }: Fault, data: string, log: string): string[] {
  const calls = error === "EIO" ? SYNCS : ["pwrite64"];
  const when = mode === "once" ? String(n) : `${n}+`;
  const paths = ["journal.db", "journal.db-wal"].flatMap((name) => ["-P", join(data, name)]);
  return [...strace([`${calls.join()}:error=${error}:when=${when}`], calls, log), "-ttt", ...paths];
}

function refusedWell(
  { mode }: Fault,
  said: string,
  isHit: boolean,
  entries: readonly Entry[],
  stderr: string,
): string[] {
  const found: string[] = [];
  // A host that cannot boot on a full disk says so and exits.
  if (said === "ended") {
    if (entries.at(-1)?.t !== "boot" || !/journal_full|disk is full/i.test(stderr)) {
      found.push(`it ended: ${stderr.slice(-500)}`);
    }
    return found;
  }
  if (mode === "forever" && isHit && said === "recovered")
    found.push("it recovered on a full disk");
  if (mode === "once" && said === "refused") found.push("it did not take work again");
  const thisLife = entries.slice(entries.findLastIndex((entry) => entry.t === "boot"));
  const codes = new Set(thisLife.flatMap((entry) => (entry.t === "fail" ? [entry.code] : [])));
  codes.delete("journal_full");
  if (codes.size > 0) found.push(`refused with ${[...codes].join()}`);
  for (const bad of notes(entries, "bad read")) found.push(`a bad read: ${JSON.stringify(bad)}`);
  return found;
}
