import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { batchOf, sessionId, startSession } from "../../testing/journal-steps.ts";
import { openSqliteJournal } from "./open.ts";
import { temporaryDirectory } from "./testing/test-directory.ts";

/** Changes the last letter of a text everywhere in the closed journal; returns the number of places. */
function change(path: string, text: string): number {
  const bytes = readFileSync(path);
  let changed = 0;
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) {
    const last = at + text.length - 1;
    bytes[last] = (bytes[last] ?? 0) ^ 1;
    changed++;
  }
  writeFileSync(path, bytes);
  return changed;
}

test.each([
  ["a once-only fact", "outcome-of-the-only-run"],
  ["a holder's cursor", "holder-of-the-session"],
])(
  "[P9] %s whose key changed on disk is named, never taken as one that never was",
  async (_what, text) => {
    const directory = temporaryDirectory();
    const dir = join(directory.dir, "data");
    const first = await openSqliteJournal({ dir });
    const touched = await startSession(first, 1, 1);
    const other = await startSession(first, 1, 2);
    for (const session of [touched, other]) {
      const key = session === touched ? "outcome-of-the-only-run" : "another";
      const holder = session === touched ? "holder-of-the-session" : "another";
      await first.append({
        ...batchOf(first, session, 1, 1),
        once: [{ name: "outcome", key }],
        cursor: { holder, from: 0, to: 7 },
      });
    }
    await first.close();
    expect(change(join(dir, "journal.db"), text)).toBeGreaterThan(0);

    const journal = await openSqliteJournal({ dir });
    const fact = { name: "outcome", key: "outcome-of-the-only-run" } as const;
    await expect(journal.fact(touched, fact)).rejects.toMatchObject({ code: "session_damaged" });
    const again = { ...batchOf(journal, touched, 2, 1), once: [fact] };
    await expect(journal.append(again)).rejects.toMatchObject({ code: "session_damaged" });
    expect(await journal.fact(other, { name: "outcome", key: "another" })).toBe(2);
    expect(await journal.cursor(other, "another")).toBe(7);
    await journal.append(batchOf(journal, other, 2, 1));
    expect(await journal.standing(sessionId(1))).toMatchObject({ seq: 2 });
    await journal.close();
    directory.remove();
  },
);
