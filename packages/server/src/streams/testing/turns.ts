/** Lets everything that is ready happen, so many times over. */
export async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise(setImmediate);
}

/** Spins until it holds. It ends by itself, because a test's time-out does not end a loop. */
export async function eventually(holds: () => boolean, ms = 20_000): Promise<void> {
  for (const end = performance.now() + ms; !holds(); ) {
    if (performance.now() > end) throw new Error(`it never came to ${holds}`);
    await turns(1);
  }
}
