import type { AgentCheckView, AgentView, SessionId } from "@holdfast/protocol";
import type { Access } from "../access/access.ts";
import type { Caller } from "../access/caller.ts";
import type { HostLimits } from "../access/host-limits.ts";
import type { Host } from "../host.ts";
import type { Runtimes } from "../session/runtimes.ts";
import type { CameBy, LinkAddresses } from "./link-addresses.ts";

/** All that handlers may touch. */
export interface HandlerDeps {
  readonly host: Pick<Host, "bootId" | "sessions" | "blobs" | "recovery" | "workspaces">;
  readonly runtimes: Runtimes;
  readonly access: Pick<
    Access,
    | "redeem"
    | "createLink"
    | "listDevices"
    | "revokeDevice"
    | "listKeys"
    | "createKey"
    | "revokeKey"
    | "createTicket"
  >;
  /** By which addresses someone who came like this hands a one-time link on. */
  readonly linkAddresses: (cameBy: CameBy) => LinkAddresses;
  /** The command by which a terminal of this machine calls the CLI for this host. */
  readonly command: string;
  /** The agents this host knows, with what is missing to run them. */
  readonly agents: () => Promise<readonly AgentView[]>;
  /** Starts the agent of this name, looks, and ends it. */
  readonly checkAgent: (name: string) => Promise<AgentCheckView>;
  /** How many of each there are now, for the metrics. */
  readonly live: () => { readonly runtimes: number; readonly followers: number };
  /**
   * Told who caused a run, by the run's id or, while it is still to come, its message's: the tokens
   * of its waits are theirs.
   */
  readonly runCreated?: (id: string, caller: Caller) => void;
  /** Someone with a credential looked at this session. */
  readonly seen?: (session: SessionId) => void;
  readonly limits: HostLimits;
  readonly random: (bytes: number) => Uint8Array;
  /** Hears of every error that no client can be told about, once. */
  readonly onError: (session: SessionId | null, error: unknown) => void;
}
