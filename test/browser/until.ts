/** Waiting for what tells nobody when it is there. */

/** A machine that does other things as well is slow, not wrong. */
const PATIENCE_MS = 20_000;
const BETWEEN_MS = 50;

/** Asks again and again; what it says when it gives up is `what`, and whatever `tell` adds. */
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
