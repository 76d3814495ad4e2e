import { say } from "./print.ts";

/** Times in ms before the first and between later notes to a person who waits. */
const FIRST = 1000;
const NEXT = 10_000;

export async function withProgressNotes<T>(
  what: string,
  work: Promise<T>,
  silent = false,
): Promise<T> {
  const from = performance.now();
  let timer: NodeJS.Timeout | undefined;
  const tell = () => {
    const seconds = Math.round((performance.now() - from) / 1000);
    say(`holdfast: ${what} …${seconds > 1 ? ` (${seconds} s)` : ""}`);
    timer = setTimeout(tell, NEXT);
  };
  if (!silent) timer = setTimeout(tell, FIRST);
  try {
    return await work;
  } finally {
    clearTimeout(timer);
  }
}
