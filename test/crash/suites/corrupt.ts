/** [P9]: after any damage to the bytes, the content is the same or the damage is reported. */

import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Random } from "../../long/seeds.ts";
import { type Context, eachPoint, type Suite } from "../../long/suite.ts";
import { Child, type SpawnOptions } from "../children.ts";
import type { Trial, Tried } from "../corrupt-worker.ts";
import { type Damage, JOURNAL, WAL } from "../damage.ts";
import { newFolder } from "../places.ts";
import { preparedStores } from "./prepared-stores.ts";
import { truncations } from "./truncations.ts";

const PAGE = 4096;
const PAGE_DAMAGES = ["zero", "garble", "repeat"] as const;
const TRIAL_MS = 30_000;

export const corrupt: Suite = {
  name: "corrupt",
  async run(context) {
    const [flips, others] = context.short ? [60, 12] : [2000, 200];
    const { closed, killed, small } = await preparedStores();
    const stores = [closed, killed];
    await context.test(`${flips} flipped bits: same content or named damage [P9]`, () =>
      trials(context, flips, () => flipIn(context.random, stores)),
    );
    await context.test(
      `${others} zeroed, garbled and repeated pages: same content or named damage [P9]`,
      () => trials(context, others, () => pageIn(context.random, stores)),
    );
    if (!context.short) {
      const pages = everyPage(closed);
      await context.test(
        `every page of a closed journal zeroed, garbled and repeated (${pages.length}): same content or named damage [P9]`,
        () => trials(context, pages.length, () => pages.pop() as Made),
      );
    }
    await truncations(context, small, closed);
  },
};

type Made = Omit<Trial, "dir" | "open" | "repair">;

export function flipIn(random: Random, stores: readonly string[]): Made {
  const { store, file, size } = somewhere(random, stores);
  return { store, damage: { kind: "flip", file, bit: random.below(size * 8) } };
}

function pageIn(random: Random, stores: readonly string[]): Made {
  const { store, file, size } = somewhere(random, stores);
  const kind = random.pick(PAGE_DAMAGES);
  // A frame of the write-ahead log is a page and its header.
  const length = file === WAL ? PAGE + 24 : PAGE;
  const start = file === WAL ? 32 : 0;
  const at = start + length * random.below(Math.max(1, Math.floor((size - start) / length) - 1));
  return { store, damage: { kind, file, at, length } };
}

function everyPage(store: string): Made[] {
  const count = Math.floor(statSync(join(store, JOURNAL)).size / PAGE);
  return PAGE_DAMAGES.flatMap((kind) =>
    Array.from({ length: count }, (_, page): Made => {
      return { store, damage: { kind, file: JOURNAL, at: page * PAGE, length: PAGE } };
    }),
  );
}

function somewhere(random: Random, stores: readonly string[]) {
  const store = random.pick(stores);
  const files = [JOURNAL, WAL].filter((name) => existsSync(join(store, name)));
  const file = random.pick(files.filter((name) => statSync(join(store, name)).size > 0));
  return { store, file, size: statSync(join(store, file)).size };
}

async function trials(context: Context, count: number, make: () => Made): Promise<string[]> {
  const points = Array.from({ length: count }, make);
  const workers = new Workers();
  const problems = await eachPoint(context, points, async (made, i) =>
    workers.attempt({
      ...made,
      open: i % 5 === 0 ? "host" : "store",
      repair: i % 4 === 0,
    }),
  );
  await workers.end();
  const { same, named, refused } = workers.outcomes;
  process.stdout.write(
    `crash: corrupt: ${same} same, ${named} named, ${refused} refused as a whole\n`,
  );
  return problems;
}

export class Workers {
  readonly outcomes = { same: 0, named: 0, refused: 0 };
  readonly #options: SpawnOptions;
  readonly #idle: Child[] = [];
  #dirs = 0;
  readonly #folder = newFolder("corrupt");

  constructor(options: SpawnOptions = {}) {
    this.#options = options;
  }

  async attempt(made: Omit<Trial, "dir">): Promise<readonly string[]> {
    const trial: Trial = { ...made, dir: join(this.#folder, String(++this.#dirs)) };
    const first = await this.#ask(trial);
    if (typeof first !== "string") return this.#counted(first, made.damage);
    // The host exited because of the damage. That may happen once, while writing, but not at every
    // start.
    if (!existsSync(trial.dir) || readdirSync(trial.dir).length === 0) return [first];
    const again = await this.#ask({ ...trial, damage: null });
    if (typeof again === "string") return [`a crash loop: ${first} … ${again}`];
    return this.#counted(again, made.damage);
  }

  async end(): Promise<void> {
    await Promise.all(this.#idle.map((worker) => worker.kill()));
  }

  #counted({ outcome, problems }: Tried, damage: Damage | null): readonly string[] {
    this.outcomes[outcome]++;
    return problems.map((problem) => `${JSON.stringify(damage)}: ${problem}`);
  }

  async #ask(trial: Trial): Promise<Tried | string> {
    let worker = this.#idle.pop();
    if (worker?.isRunning !== true) worker = new Child("corrupt-worker.ts", [], this.#options);
    worker.words.length = 0;
    worker.send(JSON.stringify(trial));
    try {
      const line = await worker.until((word) => word.startsWith("{"), TRIAL_MS);
      this.#idle.push(worker);
      return JSON.parse(line) as Tried;
    } catch (error) {
      await worker.kill();
      return (error as Error).message;
    }
  }
}
