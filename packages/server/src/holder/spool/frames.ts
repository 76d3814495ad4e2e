/**
 * The protocol between host and holder: one JSON line per message, over the holder's unix socket.
 *
 * Every message of the agent and every action on it is a numbered frame. A frame is spooled before
 * its action runs, and kept until the host has journalled it. The holder understands JSON-RPC
 * framing, but not the meaning of the messages.
 */

import type { Json } from "@holdfast/protocol";
import type { Machine } from "../../sandboxes/bubblewrap.ts";
import type { Shape } from "../../sandboxes/shape.ts";

export const holderProtocol = 2;

/**
 * The protocols that hosts and holders speak. A host greets a holder in the holder's own, which
 * stands in the holder's identity file, so that an upgrade of the host keeps living agents.
 */
export const spokenProtocols: readonly number[] = [1, holderProtocol];

/**
 * The orders that this holder knows, as its hello lists them; `sandbox` is a launch in a sandbox. A host gives no other order. A new
 * order is added here and leaves the protocol's number as it is.
 */
export const holderOrders = [
  ...["launch", "request", "notify", "answer", "end"],
  ...["freeze", "thaw", "sandbox"],
] as const;

/** A longer line of an agent is cut, and the agent is ended. */
export const maxLineBytes = 32 * 1024 * 1024;

/** Limit of unacknowledged bytes; above it the agent's output is not read. */
export const maxSpoolBytes = 64 * 1024 * 1024;

/** A JSON-RPC message as the agent wrote it. */
export interface RpcLine {
  readonly jsonrpc?: string;
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: Json;
  readonly result?: Json;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: Json };
}

export interface AgentIdentity {
  readonly pid: number;
  /** Field 22 of /proc/<pid>/stat; with the kernel's boot id it identifies a process forever. */
  readonly startTime: string;
  readonly kernelBoot: string;
}

export type Frame = { readonly n: number } & (
  | { readonly k: "launched"; readonly key: string; readonly agent: AgentIdentity }
  /** A request or notification of the agent; an answer refers to this frame's `n`. */
  | { readonly k: "line"; readonly line: RpcLine }
  /** The agent's answer to the request under `key`. */
  | { readonly k: "response"; readonly key: string; readonly line: RpcLine }
  /** Written before the request or notification is sent to the agent: from here on it may act on it. */
  | { readonly k: "sent"; readonly key: string }
  /** Written before the answer to frame `to` is sent to the agent. */
  | { readonly k: "answered"; readonly key: string; readonly to: number }
  /** Output on stdout that is not JSON, or a request whose id is too long to repeat. */
  | { readonly k: "noise"; readonly text: string; readonly bytes: number }
  /** No process of the agent moves any more. */
  | { readonly k: "frozen"; readonly key: string }
  /** Written before the processes go on, or after they did not stand still in time. */
  | {
      readonly k: "thawed";
      /** The order's key; null when the holder thawed by itself. */
      readonly key: string | null;
      readonly why: "asked" | "limit" | "not_still";
    }
  | {
      readonly k: "exit";
      readonly code: number | null;
      readonly signal: string | null;
      /** The holder's reason for ending the agent: "asked", "line_too_long", … or null. */
      readonly reason: string | null;
      /** Keys of requests without an answer, and questions that can no longer be answered. */
      readonly lost: readonly string[];
      readonly dead: readonly number[];
      /** Bytes discarded after a cancel because the spool was full. */
      readonly discarded: number;
      readonly stderr: string;
    }
);

export interface LaunchSpec {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment; the agent inherits no other variable. */
  readonly env: Readonly<Record<string, string>>;
  /** The boundary around the agent; without it the agent has all rights of the host's user. */
  readonly sandbox?: { readonly machine: Machine; readonly shape: Shape };
}

/** Steps for ending an agent: its stdin is closed, then SIGTERM to its group, then SIGKILL. */
export interface Ending {
  readonly stdinMs: number;
  readonly termMs: number;
}

export type HostSays =
  /** `acked` is the last frame in the journal: resume point and acknowledgement in one. */
  | {
      readonly t: "hello";
      readonly protocol: number;
      readonly nonce: string;
      readonly epoch: number;
      readonly acked: number;
    }
  | { readonly t: "ack"; readonly n: number }
  | { readonly t: "launch"; readonly key: string; readonly spec: LaunchSpec }
  | { readonly t: "request"; readonly key: string; readonly method: string; readonly params: Json }
  | {
      readonly t: "notify";
      readonly key: string;
      readonly method: string;
      readonly params: Json;
      /** From now on the agent is read even if the spool is full; lines without room are discarded. */
      readonly drain?: boolean;
    }
  | {
      readonly t: "answer";
      readonly key: string;
      readonly to: number;
      readonly result?: Json;
      readonly error?: { readonly code: number; readonly message: string };
    }
  /** With `limitMs` the holder thaws the agent by itself after that time. */
  | { readonly t: "freeze"; readonly key: string; readonly limitMs?: number }
  | { readonly t: "thaw"; readonly key: string }
  /** Ends the agent; with `leave` the holder exits as well, once the agent's exit is acknowledged. */
  | { readonly t: "end"; readonly ending: Ending; readonly leave: boolean };

export interface HolderHello {
  readonly t: "hello";
  readonly protocol: number;
  readonly version: string;
  readonly nonce: string;
  readonly holderId: string;
  readonly sessionId: string;
  readonly pid: number;
  readonly last: number;
  readonly agent: "none" | "running" | "exited";
  readonly pending: readonly string[];
  /** The orders that the holder knows; absent in protocol 1. */
  readonly orders?: readonly string[];
}

/** The stored answer for a key, for a host that sends the request again; null when the answer is lost. */
export interface Reply {
  readonly t: "reply";
  readonly key: string;
  readonly line: RpcLine | null;
}

export interface Refused {
  readonly t: "refused";
  /** Null when the connection itself is refused. */
  readonly key: string | null;
  readonly code: "bad_hello" | "old_epoch" | "replaced" | "no_agent" | "agent_runs" | "bad_message";
  readonly message: string;
}

export type HolderSays = HolderHello | Reply | Refused | Frame;

export const isFrame = (said: HolderSays): said is Frame => "n" in said;
