/** The writer thread. A failed write here ends the process, see fatal.ts. */

import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import type { SessionId } from "@holdfast/protocol";
import { HostError } from "@holdfast/protocol/errors";
import type { Base } from "../../journal.ts";
import { markForRepair } from "../boot/marker.ts";
import type { JournalFiles } from "../file/files.ts";
import { isCorrupt, sqliteCode } from "../file/sqlite-error.ts";
import { Background } from "../write/background.ts";
import type { GroupMessage, SettledMessage } from "../write/messages.ts";
import { openStore } from "../write/open-store.ts";
import type { Store } from "../write/store.ts";
import { answerCall, type Calls, isCall, isLeave } from "./calls.ts";
import { die } from "./fatal.ts";

const port = parentPort as MessagePort;
const { files, ballastBytes } = workerData as { files: JournalFiles; ballastBytes: number };
let store: Store;
let background: Background;

const calls = {
  start() {
    store = openStore(files, ballastBytes);
    background = new Background(store, announce, (error) => stop("settling the journal", error));
    background.erase().catch((error) => stop("deleting from the journal", error));
    return store.report;
  },
  putBase: (session: SessionId, base: Base) => store.putBase(session, base),
  trim(session: SessionId, upTo: number) {
    announce(store.trim(session, upTo));
    return background.erase();
  },
  remove(session: SessionId) {
    store.remove(session);
    return background.erase();
  },
  quarantine: (session: SessionId, reason: string, readableTo: number | null) =>
    store.quarantine(session, reason, readableTo),
  close() {
    background.stop();
    store.close();
  },
} satisfies Calls;

export type WriterCalls = typeof calls;

port.on("message", (message: GroupMessage | object) => {
  if (isLeave(message)) return port.close();
  if (!isCall(message)) return commit(message as GroupMessage);
  void answerCall(port, calls, message, (error) => {
    // Before the start succeeded no append was acknowledged, so an unopened file needs no
    // fail-stop.
    if (message.name === "start" && isUnopened(error)) return unusable(error);
    return stop(`${message.name} on the journal`, error);
  });
});

function commit(group: GroupMessage): void {
  try {
    const ack = store.commit(group);
    port.postMessage(ack, [ack.results.buffer]);
    announce(store.afterGroup(group.body.length));
  } catch (error) {
    stop("a commit to the journal", error);
  }
  background.groupDone();
}

const cannotOpen = 14;

/** True when SQLite could not open the file, or the file system refused a file beside it. */
function isUnopened(error: unknown): boolean {
  const code = sqliteCode(error);
  if (code !== null) return (code & 0xff) === cannotOpen;
  return (
    error instanceof Error && "syscall" in error && (error as { code?: string }).code !== "EIO"
  );
}

function unusable(error: unknown): HostError {
  const reason = error instanceof Error ? error.message : String(error);
  return new HostError(
    "data_unusable",
    `The journal in ${files.dir} cannot be opened (${reason}). Nothing was changed.`,
  );
}

/** Every later boot would hit the same damage, so the journal is marked for repair. */
function stop(what: string, error: unknown): never {
  try {
    if (isCorrupt(error)) markForRepair(files, { reason: `${what} met a damaged page` });
  } finally {
    die(what, error);
  }
}

function announce(settled: Uint32Array<ArrayBuffer>): void {
  if (settled.length > 0) port.postMessage({ settled } satisfies SettledMessage);
}
