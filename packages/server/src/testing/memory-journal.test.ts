import { journalSuite } from "./journal-suite.ts";
import { MemoryDisk, openMemoryJournal } from "./memory-journal.ts";

journalSuite("the memory journal", async () => {
  const disk = new MemoryDisk();
  const open = () => openMemoryJournal(disk);
  return { journal: await open(), reopen: open, takeOver: open, dispose: async () => {} };
});
