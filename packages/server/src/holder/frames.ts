/**
 * What host and holder say to each other, one JSON line each, over the holder's unix socket.
 *
 * Everything the agent says and everything the holder does to it is a numbered frame, spooled before
 * it is acted on, and kept until the host has journalled it. The holder knows JSON-RPC framing and
 * nothing of what the messages mean.
 */

import type { Json } from "@holdfast/protocol";

export const holderProtocol = 1;

/** Longer lines of an agent are cut, and the agent with them. */
export const maxLineBytes = 32 * 1024 * 1024;

/** Unacknowledged bytes past which the agent is not read any further. */
export const maxSpoolBytes = 64 * 1024 * 1024;

/** A JSON-RPC message of the agent, as it was written. */
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
  /** Field 22 of /proc/<pid>/stat: with the kernel's boot id it names one process for ever. */
  readonly startTime: string;
  readonly kernelBoot: string;
}

export type Frame = { readonly n: number } & (
  | { readonly k: "launched"; readonly key: string; readonly agent: AgentIdentity }
  /** A request or notification of the agent; it is answered by this frame's `n`. */
  | { readonly k: "line"; readonly line: RpcLine }
  /** The agent's answer to the request under `key`. */
  | { readonly k: "response"; readonly key: string; readonly line: RpcLine }
  /** Written before the request or notification goes to the agent: from here on it may act on it. */
  | { readonly k: "sent"; readonly key: string }
  /** Written before the answer to frame `to` goes to the agent. */
  | { readonly k: "answered"; readonly key: string; readonly to: number }
  /** Something on stdout that is no JSON, or asks under an id that is too long to be repeated. */
  | { readonly k: "noise"; readonly text: string; readonly bytes: number }
  | {
      readonly k: "exit";
      readonly code: number | null;
      readonly signal: string | null;
      /** Why the holder ended it, where it did: "asked", "line_too_long", "launch_failed", … */
      readonly reason: string | null;
      /** Keys whose answer will never come, and questions that nobody can answer any more. */
      readonly lost: readonly string[];
      readonly dead: readonly number[];
      /** Bytes thrown away after a cancel because the spool was full. */
      readonly discarded: number;
      /** The end of what it wrote on stderr. */
      readonly stderr: string;
    }
);

export interface LaunchSpec {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
}

/** How an agent is ended: asked by the end of its stdin, then by SIGTERM to its group, then SIGKILL. */
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
      /** From now on a full spool must not keep the agent from being read: the rest is discarded. */
      readonly drain?: boolean;
    }
  | {
      readonly t: "answer";
      readonly key: string;
      readonly to: number;
      readonly result?: Json;
      readonly error?: { readonly code: number; readonly message: string };
    }
  /** Ends the agent; with `leave` the holder goes as well, once its exit is acknowledged. */
  | { readonly t: "end"; readonly ending: Ending; readonly leave: boolean };

export interface HolderHello {
  readonly t: "hello";
  readonly protocol: number;
  readonly version: string;
  readonly nonce: string;
  readonly holderId: string;
  readonly sessionId: string;
  readonly pid: number;
  /** The last frame there is. */
  readonly last: number;
  readonly agent: "none" | "running" | "exited";
  /** Keys that the agent has not answered yet: what it is at work on, whatever the journal says. */
  readonly pending: readonly string[];
}

/** The answer that a key has already, for a host that asks again; `line` null means lost. */
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
