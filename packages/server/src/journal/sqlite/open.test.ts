import { journalSuite } from "../../testing/journal-suite.ts";
import { openSqliteJournal } from "./open.ts";
import { ballastBytes, temporaryDirectory } from "./testing/test-directory.ts";

journalSuite("the SQLite journal", async () => {
  const { dir, remove } = temporaryDirectory();
  const first = await openSqliteJournal({ dir, ballastBytes });
  let journal = first;
  return {
    journal: first,
    async reopen() {
      await journal.close();
      journal = await openSqliteJournal({ dir, ballastBytes });
      return journal;
    },
    async dispose() {
      await journal.close();
      remove();
    },
  };
});
