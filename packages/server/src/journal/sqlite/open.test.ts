import { journalSuite } from "../../testing/journal-suite.ts";
import { openSqliteJournal } from "./open.ts";
import { temporaryDirectory } from "./test-directory.ts";

journalSuite("the SQLite journal", async () => {
  const { dir, remove } = temporaryDirectory();
  const first = await openSqliteJournal({ dir });
  let journal = first;
  return {
    journal: first,
    async reopen() {
      await journal.close();
      journal = await openSqliteJournal({ dir });
      return journal;
    },
    async dispose() {
      await journal.close();
      remove();
    },
  };
});
