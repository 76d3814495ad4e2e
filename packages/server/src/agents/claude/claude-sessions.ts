/** The starting point of each session's next turn, by Claude's transcript or our record. */

import { RequestError } from "@agentclientprotocol/sdk/unstable";
import { messageOf } from "./message.ts";
import { upTo } from "./replay.ts";
import type { Beginning, Sdk } from "./sdk.ts";
import { isSessionId, type SessionRecord, type SessionRecords } from "./session-records.ts";

interface ClaudeSession {
  readonly messages: readonly unknown[];
  readonly beginning: Beginning;
}

export class ClaudeSessions {
  readonly #sdk: Pick<Sdk, "getSessionMessages">;
  readonly #records: SessionRecords;
  readonly #newId: () => string;

  constructor(sdk: Pick<Sdk, "getSessionMessages">, records: SessionRecords, newId: () => string) {
    this.#sdk = sdk;
    this.#records = records;
    this.#newId = newId;
  }

  create(cwd: string, from?: SessionRecord["from"]): string {
    const sessionId = this.#newId();
    this.#records.add(sessionId, { cwd, ...(from === undefined ? {} : { from }) });
    return sessionId;
  }

  /** Finds a session; with `at`, only up to and including that message. */
  async find(sessionId: string, at: string | null = null): Promise<ClaudeSession> {
    const record = this.#records.find(sessionId);
    const messages = isSessionId(sessionId) ? await this.#messagesOf(sessionId) : [];
    if (messages.length === 0 && record === null) throw RequestError.sessionNotFound(sessionId);
    const found =
      messages.length > 0
        ? { messages, beginning: { resume: sessionId } }
        : await this.#unbegun(sessionId, record?.from);
    return at === null ? found : cutAt(found, at);
  }

  /** Copies the session as it is now; later messages of the original stay out. */
  async fork(sessionId: string, cwd: string, at: string | null): Promise<string> {
    const { messages, beginning } = await this.find(sessionId, at);
    const last = messageOf(messages.at(-1))?.uuid;
    if (!last || !("resume" in beginning)) return this.create(cwd);
    // The record points to the original until the copy has its first turn.
    return this.create(cwd, { sessionId: beginning.resume, at: last });
  }

  async #unbegun(sessionId: string, from: SessionRecord["from"]): Promise<ClaudeSession> {
    if (from === undefined) return { messages: [], beginning: { sessionId } };
    const messages = await this.#messagesOf(from.sessionId);
    const copy = { sessionId, resume: from.sessionId, forkSession: true } as const;
    return cutAt({ messages, beginning: copy }, from.at);
  }

  async #messagesOf(sessionId: string): Promise<readonly unknown[]> {
    const messages: unknown = await this.#sdk.getSessionMessages(sessionId);
    return Array.isArray(messages) ? messages : [];
  }
}

function cutAt({ messages, beginning }: ClaudeSession, uuid: string): ClaudeSession {
  const kept = upTo(messages, uuid);
  if (kept === null) {
    throw RequestError.invalidParams({ resumeSessionAt: uuid }, "there is no such message");
  }
  return { messages: kept, beginning: { ...beginning, resumeSessionAt: uuid } as Beginning };
}
