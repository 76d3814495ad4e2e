/** The process of one cell: loads its module, runs it, sends the metrics, exits. */

import type { CellModule, Job } from "./cell.ts";

const [, , module = "", job = "{}"] = process.argv;
const { run } = (await import(module)) as CellModule;
const metrics = await run(JSON.parse(job) as Job);
await new Promise<void>((sent) => process.send?.(metrics, () => sent()));
process.exit(0);
