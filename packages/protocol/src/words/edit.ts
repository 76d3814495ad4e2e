/** The size of an edit in lines. */

interface EditSize {
  readonly plus: number;
  readonly minus: number;
}

/** Counts the unchanged lines at both ends: precise enough to say how large an edit is. */
export function editSize(before: string, after: string): EditSize {
  const [a, b] = [linesOf(before), linesOf(after)];
  const same = sharedLines(a, b);
  return { plus: b.length - same, minus: a.length - same };
}

function sharedLines(a: readonly string[], b: readonly string[]): number {
  const most = Math.min(a.length, b.length);
  let head = 0;
  while (head < most && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < most - head && a.at(-1 - tail) === b.at(-1 - tail)) tail++;
  return head + tail;
}

/** The lines of a text; a newline at its end begins no further line. */
export function linesOf(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}
