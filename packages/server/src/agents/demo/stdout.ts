/** What is done to stdout beside the protocol. */

/** Resolves when everything said so far has left the process. */
export const flushed = (): Promise<void> =>
  new Promise((resolve) => process.stdout.write("", () => resolve()));

/** The one thing on stdout that is no protocol: hosts must get over it. */
export function makeNoise(): void {
  process.stdout.write("demo agent: this line is not JSON\n");
}
