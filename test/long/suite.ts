/** What a suite is, how its results are counted, and the progress it shows. */

import type { Random } from "./seeds.ts";

export interface Suite {
  readonly name: string;
  run(context: Context): Promise<void>;
}

export interface Result {
  readonly suite: string;
  readonly title: string;
  readonly status: "passed" | "failed" | "skipped";
  readonly failures: readonly string[];
  readonly seconds: number;
}

export interface Context {
  readonly short: boolean;
  readonly seed: number;
  readonly random: Random;
  /** One result. The body returns its problems: none means passed. */
  test(title: string, body: () => Promise<readonly string[]>): Promise<void>;
  skip(title: string, why: string): void;
  progress(done: number, of: number): void;
  /** A line beside the results, such as what was measured. */
  say(line: string): void;
}

/** Every point in its turn, two at a time: the machine has no more cores to give. */
export async function eachPoint<T>(
  context: Pick<Context, "progress">,
  points: readonly T[],
  act: (point: T, index: number) => Promise<readonly string[]>,
  lanes = 2,
): Promise<string[]> {
  const problems: string[] = [];
  const left = points.entries();
  let done = 0;
  const lane = async () => {
    for (const [index, point] of left) {
      const found = await act(point, index).catch((error: Error) => [error.stack ?? error.message]);
      problems.push(...found.map((problem) => `${JSON.stringify(point)}: ${problem}`));
      context.progress(++done, points.length);
      if (problems.length > 20) return;
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return problems;
}
