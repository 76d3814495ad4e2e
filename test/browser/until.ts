/** Polls for conditions that send no event. */

/** A generous timeout: a busy machine is slow, not wrong. */
const PATIENCE_MS = 20_000;
const BETWEEN_MS = 50;

/** Polls until `isSo`; the timeout's error contains `what` and the result of `tell`. */
export async function until(
  what: string,
  isSo: () => Promise<boolean>,
  patience = PATIENCE_MS,
  tell: () => Promise<string> = async () => "",
): Promise<void> {
  const end = performance.now() + patience;
  while (!(await isSo())) {
    if (performance.now() > end) {
      throw new Error(`${what} did not come within ${patience} ms.${await tell()}`);
    }
    await new Promise((resolve) => setTimeout(resolve, BETWEEN_MS));
  }
}
