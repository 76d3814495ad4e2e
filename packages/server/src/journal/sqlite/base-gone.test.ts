import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, expect, test } from "vitest";
import { startSession } from "../../testing/journal-steps.ts";
import { openSqliteJournal } from "./open.ts";
import { ballastBytes, temporaryDirectory } from "./testing/test-directory.ts";

const directory = temporaryDirectory();
afterEach(() => directory.remove());

test("[P9] a missing base is damage when events were folded into it, and harmless while all events are there", async () => {
  const { dir } = directory;
  const first = await openSqliteJournal({ dir, ballastBytes });
  const [folded, whole] = [await startSession(first, 20), await startSession(first, 20, 2)];
  for (const session of [folded, whole]) {
    const { chain } = (await first.standing(session)) as { chain: number };
    await first.putBase(session, { seq: 20, chain, state: "{}", transcript: "{}" });
  }
  await first.trim(folded, 20);
  await first.close();
  const database = new DatabaseSync(join(dir, "journal.db"));
  database.exec("delete from bases");
  database.close();
  const next = await openSqliteJournal({ dir, ballastBytes });
  await expect(next.base(folded)).rejects.toMatchObject({ code: "session_damaged" });
  expect(await next.base(whole)).toBeNull();
  await next.close();
});
