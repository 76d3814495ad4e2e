/** The durable floor with its producer in the same process, as the host has its agent. */

import { join } from "node:path";
import { AppendFile } from "../floor.ts";
import { lineOf } from "../streams/marks.ts";
import { dueDeltas, type Emission } from "../streams/pace.ts";
import { answer, jobOf } from "../streams/remote.ts";
import { FloorSessions } from "./floor-sse.ts";

/** Lines in flight before the producer waits: as many as one request holds elsewhere. */
const WINDOW = 256;

const { dir } = jobOf<{ dir: string }>();
const file = new AppendFile(join(dir, "append.log"));
const sessions = new FloorSessions();
const port = await sessions.listen();

answer({
  open: ({ count }: { count: number }) => ({ port, paths: sessions.open(count), headers: {} }),
  async emit({ session, ...emission }: Emission & { session: number }) {
    for await (const due of dueDeltas(emission, WINDOW)) {
      const appended = due.map(({ seq, text }) => append(session, seq, text));
      if (emission.rate === 0) await Promise.all(appended);
    }
  },
});

async function append(session: number, seq: number, text: string): Promise<void> {
  const line = lineOf(text, seq);
  await file.append(`${line}\n`);
  sessions.publish(session, `id: ${seq}\ndata: ${line}\n\n`);
}
