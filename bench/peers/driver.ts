/** Acknowledges at once and stores no data: the cost of the load generator itself. */

import { preparedLines, type Subject } from "./subject.ts";

export function open(_dir: string, sessions: number): Subject {
  const lines = preparedLines(sessions);
  const seqs = new Array<number>(sessions).fill(0);
  let length = 0;
  return {
    send(session) {
      const seq = ((seqs[session] ?? 0) % 20_000) + 1;
      seqs[session] = seq;
      length += lines.at(seq).length;
      return new Promise((resolve) => setImmediate(resolve));
    },
    close() {
      if (length === 0) throw new Error("driver: nothing was sent");
    },
  };
}
