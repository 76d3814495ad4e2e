/** Distinguishes a noticed fault from a run that is red for another reason. */

import type { Notice } from "./mutant.ts";
import type { Outcome, TestOutcome } from "./patched-vitest.ts";

/** The problems of a control: without the fault the named tests must be there and pass. */
export function controlProblems({ test }: Notice, { errors, tests }: Outcome): string[] {
  const named = tests.filter(({ name }) => name.includes(test));
  if (errors.length > 0) return [`does not run without the fault either: ${errors[0]}`];
  if (named.length === 0) return [`there is no test "${test}"`];
  return named
    .filter(({ state }) => state !== "passed")
    .map(({ name, state }) => `without the fault the test is ${state} too: ${name}`);
}

/** Empty when one of the named tests failed by its own assertion, or with the failure expected. */
export function noticeProblems({ test, failure }: Notice, { errors, tests }: Outcome): string[] {
  const failed = tests.filter(({ name, state }) => name.includes(test) && state === "failed");
  if (failed.some((red) => isTheTestsOwn(red, failure))) return [];
  const first = failed[0]?.errors[0];
  if (first !== undefined)
    return [`red for another reason: ${first.name}: ${firstLine(first.message)}`];
  if (errors.length > 0) return [`does not run with the fault: ${firstLine(errors[0] ?? "")}`];
  return ["no test notices it"];
}

/**
 * True for the test's own assertion, or for the expected failure. A timeout or a syntax error proves
 * no behaviour.
 */
function isTheTestsOwn({ errors }: TestOutcome, failure: string | undefined): boolean {
  return errors.some(({ name, message }) =>
    failure === undefined ? name === "AssertionError" : message.includes(failure),
  );
}

export const firstLine = (text: string) => (text.split("\n")[0] ?? "").slice(0, 200);
