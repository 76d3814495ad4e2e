/** The link to an agent in a holder, which speaks the Agent Client Protocol. */

import { type ApprovalState, HostError, type Json } from "@holdfast/protocol";
import {
  answerOf,
  cancelledPermission,
  methods,
  permissionResult,
  promptParams,
} from "../agents/acp/acp.ts";
import { connectHolder, type Link, type LinkOptions } from "../holder/host-side/link.ts";
import type { Ending, LaunchSpec, Refused, Reply, RpcLine } from "../holder/spool/frames.ts";
import type { AgentLink, SentPrompt } from "./agent-link.ts";
import { promptText } from "./prompts.ts";

const METHOD_NOT_FOUND = -32_601;

export async function connectAgent(
  options: Omit<LinkOptions, "onReply" | "onRefused">,
): Promise<HolderLink> {
  const requests = new Requests();
  const onReply = (reply: Reply) => requests.replied(reply);
  const onRefused = (refused: Refused) => requests.refused(refused);
  return new HolderLink(await connectHolder({ ...options, onReply, onRefused }), requests);
}

class Requests {
  readonly #asked = new Map<string, PromiseWithResolvers<RpcLine>>();
  #exit: string | null = null;

  /** The answer to the request under this key; the same key gets the same answer. */
  ask(key: string, send: () => void): Promise<RpcLine> {
    if (this.#exit !== null) return Promise.reject(exitedError(this.#exit));
    const known = this.#asked.get(key) ?? Promise.withResolvers<RpcLine>();
    this.#asked.set(key, known);
    send();
    return known.promise;
  }

  answered(key: string, line: RpcLine): void {
    this.#asked.get(key)?.resolve(line);
  }

  replied({ key, line }: Reply): void {
    const asked = this.#asked.get(key);
    if (line === null) asked?.reject(exitedError(this.#exit ?? "it had already ended"));
    else asked?.resolve(answerOf(line));
  }

  refused({ key, code, message }: Refused): void {
    // The frame of the agent's exit, which gives the reason, rejects this request.
    if (key === null || code === "no_agent") return;
    const error = new HostError("unreachable", `Its holder refused (${code}): ${message}`);
    this.#asked.get(key)?.reject(error);
  }

  rejectRequests(reason: string): void {
    this.#exit ??= reason;
    for (const { reject, promise } of this.#asked.values()) {
      promise.catch(() => undefined);
      reject(exitedError(reason));
    }
  }
}

export class HolderLink implements AgentLink {
  readonly #link: Link;
  readonly #requests: Requests;

  constructor(link: Link, requests: Requests) {
    this.#link = link;
    this.#requests = requests;
  }

  get hello() {
    return this.#link.hello;
  }

  get frames() {
    return this.#link.frames;
  }

  get bytesRead(): number {
    return this.#link.bytesRead;
  }

  /** An agent in a holder takes prompts until it exits. */
  get isOver(): boolean {
    return false;
  }

  launch(spec: LaunchSpec): void {
    this.#link.launch("launch/1", spec);
  }

  ask(key: string, method: string, params: object): Promise<RpcLine> {
    return this.#requests.ask(key, () => this.#link.request(key, method, params as Json));
  }

  prompt(key: string, { prompt, found, agentSessionId }: SentPrompt): void {
    const params = promptParams(agentSessionId ?? "", promptText(prompt, found));
    this.#link.request(key, methods.prompt, params as unknown as Json);
  }

  cancel(key: string, sessionId: string | null): void {
    this.#link.notify(key, methods.cancel, { sessionId }, { drain: true });
  }

  answer(key: string, approval: ApprovalState, isCancelled: boolean): void {
    if (approval.askedBy === null) return;
    // The protocol has separate answers for cancelled and refused.
    const isNo = isCancelled || approval.decision === null;
    const result = isNo ? cancelledPermission : permissionResult(approval);
    this.#link.answer(key, approval.askedBy.n, { result: result as unknown as Json });
  }

  /** The protocol has no waits: the next prompt carries the result. */
  resume(): void {}

  refuse(n: number, why: "unsupported" | "cancelled", method: string): void {
    const key = `refuse/${n}`;
    if (why === "cancelled") {
      this.#link.answer(key, n, { result: cancelledPermission as unknown as Json });
    } else {
      const message = `This client does not offer ${method.slice(0, 100)}.`;
      this.#link.answer(key, n, { error: { code: METHOD_NOT_FOUND, message } });
    }
  }

  /** False for a holder of an earlier version, which does not know the order. */
  setFrozen(key: string, isFrozen: boolean): boolean {
    const isKnown = this.#link.hello.orders?.includes(isFrozen ? "freeze" : "thaw") === true;
    if (isKnown) this.#link.setFrozen(key, isFrozen);
    return isKnown;
  }

  answered(key: string, line: RpcLine): void {
    this.#requests.answered(key, line);
  }

  rejectRequests(reason: string): void {
    this.#requests.rejectRequests(reason);
  }

  ack(n: number): void {
    this.#link.ack(n);
  }

  end(ending: Ending, leave: boolean): void {
    this.#link.end(ending, leave);
  }

  close(): void {
    this.#link.close();
  }

  drop(): void {
    this.#link.drop();
  }
}

function exitedError(reason: string): HostError {
  return new HostError("launch_failed", `The agent has stopped (${reason}).`);
}
