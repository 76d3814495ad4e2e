/**
 * The outbox in IndexedDB, which unlike localStorage survives a crash of the browser. It is opened
 * in advance: a page that is being frozen has time for a write, but not for an `open`.
 */

import type { Timers } from "../timers.ts";
import type { Change, NewItem, OutboxStorage, StoredItem } from "./item.ts";
import { memoryStorage } from "./memory.ts";

/** The used part of `indexedDB`; its other types are the browser's own. */
export interface IndexedDbFactory {
  open(name: string, version?: number): object;
}

interface Request<T> {
  readonly result: T;
  readonly error: unknown;
  addEventListener(type: "success" | "error" | "upgradeneeded", call: () => void): void;
}

interface ObjectStore {
  getAll(): Request<StoredItem[]>;
  get(n: number): Request<StoredItem | undefined>;
  add(item: NewItem): Request<number>;
  put(item: StoredItem): Request<unknown>;
  delete(n: number): Request<unknown>;
}

interface Transaction {
  readonly error: unknown;
  objectStore(name: string): ObjectStore;
  commit?(): void;
  addEventListener(type: "complete" | "abort" | "error", call: () => void): void;
}

type Mode = "readonly" | "readwrite";

interface Database {
  createObjectStore(name: string, options: object): unknown;
  transaction(name: string, mode: Mode, options?: object): Transaction;
  close(): void;
  addEventListener(type: "close" | "versionchange", call: () => void): void;
}

const STORE = "items";
/** Time limit for opening; after it the outbox uses memory. */
const OPENING = 3_000;

interface StorageOptions {
  readonly factory: IndexedDbFactory | undefined;
  readonly name: string;
  readonly timers: Timers;
}

/** Opens IndexedDB, or falls back to memory with `isLasting` false. */
export async function openOutboxStorage(options: StorageOptions): Promise<OutboxStorage> {
  const { factory, timers } = options;
  if (factory === undefined) return memoryStorage();
  let cancel = () => {};
  const tooLong = new Promise<never>((_, reject) => {
    cancel = timers.after(OPENING, () =>
      reject(new Error("The browser's storage (IndexedDB) could not be opened.")),
    );
  });
  try {
    const storage = new IndexedDbStorage(factory, options.name);
    await Promise.race([storage.all(), tooLong]);
    return storage;
  } catch {
    return memoryStorage();
  } finally {
    cancel();
  }
}

class IndexedDbStorage implements OutboxStorage {
  readonly isLasting = true;
  readonly #factory: IndexedDbFactory;
  readonly #name: string;
  #database: Promise<Database> | null = null;

  constructor(factory: IndexedDbFactory, name: string) {
    this.#factory = factory;
    this.#name = name;
  }

  all(): Promise<StoredItem[]> {
    return this.#within("readonly", (store) => store.getAll());
  }

  async add(item: NewItem): Promise<StoredItem> {
    return { ...item, n: await this.#within("readwrite", (store) => store.add(item)) };
  }

  /** Reads and writes in one transaction, because another tab may remove the item at the same time. */
  async change(n: number, change: Change): Promise<StoredItem | undefined> {
    const transaction = await this.#begin("readwrite");
    const store = transaction.objectStore(STORE);
    const found = store.get(n);
    let changed: StoredItem | undefined;
    found.addEventListener("success", () => {
      if (found.result === undefined) return;
      changed = { ...found.result, ...change };
      store.put(changed);
      transaction.commit?.();
    });
    await completed(transaction, found);
    return changed;
  }

  async remove(n: number): Promise<void> {
    await this.#within("readwrite", (store) => store.delete(n));
  }

  async #within<T>(mode: Mode, ask: (store: ObjectStore) => Request<T>): Promise<T> {
    const transaction = await this.#begin(mode);
    const request = ask(transaction.objectStore(STORE));
    // Commits at once; otherwise the transaction waits for another turn, which a frozen page does
    // not get.
    transaction.commit?.();
    await completed(transaction, request);
    return request.result;
  }

  async #begin(mode: Mode): Promise<Transaction> {
    const database = await this.#open();
    return database.transaction(STORE, mode, { durability: "strict" });
  }

  #open(): Promise<Database> {
    this.#database ??= this.#opened().catch((error: unknown) => {
      this.#database = null;
      throw error;
    });
    return this.#database;
  }

  async #opened(): Promise<Database> {
    const request = this.#factory.open(this.#name, 1) as Request<Database>;
    const database = await new Promise<Database>((resolve, reject) => {
      request.addEventListener("upgradeneeded", () =>
        request.result.createObjectStore(STORE, { keyPath: "n", autoIncrement: true }),
      );
      request.addEventListener("success", () => resolve(request.result));
      request.addEventListener("error", () => reject(request.error));
    });
    const forget = () => {
      database.close();
      this.#database = null;
    };
    database.addEventListener("close", forget);
    // A newer page wants to upgrade the database; an open connection would block it.
    database.addEventListener("versionchange", forget);
    return database;
  }
}

function completed(transaction: Transaction, request: Request<unknown>): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.addEventListener("complete", () => resolve());
    transaction.addEventListener("abort", () => reject(transaction.error));
    transaction.addEventListener("error", () => reject(transaction.error ?? request.error));
  });
}
