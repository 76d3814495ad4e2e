import type { AgentCheckView, AgentView, SessionId } from "@holdfast/protocol";
import type { Access } from "../../access/credentials/access.ts";
import type { Caller } from "../../access/credentials/caller.ts";
import type { HostLimits } from "../../access/limits/host-limits.ts";
import type { HostParts } from "../../host.ts";
import type { CallerSessions } from "../../session/sessions.ts";
import type { CameBy, LinkAddresses } from "./link-addresses.ts";

export interface HandlerDeps {
  readonly host: Pick<
    HostParts,
    | "bootId"
    | "clock"
    | "policy"
    | "journal"
    | "blobs"
    | "recovery"
    | "agents"
    | "runtimes"
    | "workspaces"
  > & { readonly sessions: CallerSessions };
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
  /** The addresses for a one-time link that a caller with this Host and Origin creates. */
  readonly linkAddresses: (cameBy: CameBy) => LinkAddresses;
  /** The command by which a terminal on this machine calls the CLI for this host. */
  readonly command: string;
  /** The agents this host knows, with the parts that are missing to run them. */
  readonly agents: () => Promise<readonly AgentView[]>;
  readonly checkAgent: (name: string) => Promise<AgentCheckView>;
  /** Current counts, for the metrics. */
  readonly live: () => { readonly runtimes: number; readonly followers: number };
  /** Records who caused a run (or its message), the owner of the tokens of its waits. */
  readonly runCreated?: (id: string, caller: Caller) => void;
  /** Called when a caller with a credential requests this session. */
  readonly seen?: (session: SessionId) => void;
  readonly limits: HostLimits;
  readonly random: (bytes: number) => Uint8Array;
  /** Gets every unexpected error once; clients see only a generic one. */
  readonly onError: (session: SessionId | null, error: unknown) => void;
}
