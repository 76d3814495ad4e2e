/** Writes to stdout that bypass the protocol. */

export const flushed = (): Promise<void> =>
  new Promise((resolve) => process.stdout.write("", () => resolve()));

/** Writes a line that is not JSON; hosts must tolerate it. */
export function makeNoise(): void {
  process.stdout.write("demo agent: this line is not JSON\n");
}
