import { join } from "node:path";
import { AppendFile } from "../floor.ts";
import { preparedLines, type Subject } from "./subject.ts";

export function open(dir: string, sessions: number): Subject {
  const lines = preparedLines(sessions);
  const seqs = new Array<number>(sessions).fill(0);
  const file = new AppendFile(join(dir, "append.log"));
  return {
    send(session) {
      const seq = (seqs[session] ?? 0) + 1;
      seqs[session] = seq;
      return file.append(lines.at(seq));
    },
    close: () => file.close(),
  };
}
