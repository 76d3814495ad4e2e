/** The interface of a suite, the counting of its results, and its progress output. */

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
  /** Runs one test. The body returns its problems; an empty list means passed. */
  test(title: string, body: () => Promise<readonly string[]>): Promise<void>;
  skip(title: string, why: string): void;
  progress(done: number, of: number): void;
  /** Prints a line beside the results, such as a measurement. */
  say(line: string): void;
}

/** Runs every point, two at a time by default: the test machines have two cores. */
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
