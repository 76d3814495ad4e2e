/** Waits for `count` turns of the event loop. */
export async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise(setImmediate);
}

/**
 * Polls until `holds` returns true. Has its own time limit, because a test's timeout does not end a
 * loop.
 */
export async function eventually(holds: () => boolean, ms = 20_000): Promise<void> {
  for (const end = performance.now() + ms; !holds(); ) {
    if (performance.now() > end) throw new Error(`it never came to ${holds}`);
    await turns(1);
  }
}
