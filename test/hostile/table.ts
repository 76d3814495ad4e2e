/** The route table for attacks: every route with valid ids and a valid body. */

import { pathWords, type RouteName, type RouteSpec } from "@holdfast/protocol";
import { routes } from "@holdfast/protocol/schemas";
import type { Target } from "./target.ts";

export const table = Object.entries(routes) as [RouteName, RouteSpec][];
export const closed = table.filter(([, { access }]) => access !== "public");

/** The minimal body of each route. */
export const bodies: { readonly [N in RouteName]?: object } = {
  login: { code: "hfl_none" },
  createKey: { name: "mine" },
  createSession: { agent: "demo" },
  updateSession: { title: "Mine now" },
  sendMessage: { content: "/say mine" },
  editQueued: { content: "/say changed" },
  breakSession: { what: "agent" },
  decideApproval: { decision: "allow" },
};

export function bodyOf(name: RouteName): string | undefined {
  const { method, body } = routes[name] as RouteSpec;
  return method === "GET" || body === undefined ? undefined : JSON.stringify(bodies[name] ?? {});
}

export type Ids = Readonly<Record<(typeof parameters)[number], string>>;

export const parameters = [
  "sessionId",
  "runId",
  "messageId",
  "approvalId",
  "ruleId",
  "deviceId",
  "keyId",
  "hash",
  "path",
] as const;

const zeros = "00000000000070008000000000000000";

/** Well-formed ids that do not exist. */
export const unknown: Ids = {
  sessionId: `sess_${zeros}`,
  runId: `run_${zeros}`,
  messageId: `msg_${zeros}`,
  approvalId: `appr_${zeros}`,
  ruleId: `rule_${zeros}`,
  deviceId: `dev_${zeros}`,
  keyId: `key_${zeros}`,
  hash: "0".repeat(64),
  path: "nobody/was/here.txt",
};

export function pathOf(name: RouteName, ids: Ids): string {
  return routes[name].path.replace(pathWords, (_, word: string) => ids[word as keyof Ids]);
}

export interface Victim {
  readonly ids: Ids;
  readonly deviceToken: string;
  readonly keySecret: string;
}

/** Data that needs a credential; it is in the title and in every message. */
export const DATA = "SECRET-DATA";

/** Longer than an event holds, so that there is a blob. */
const LONG = `${DATA} queued `.repeat(10_000);

/**
 * A session with all that a route can name: a run that asks, a queue, a blob, a rule, a device, a
 * key.
 */
export async function victimOf(target: Target, token = target.token): Promise<Victim> {
  const client = target.as(token);
  const body = { agent: "demo", title: DATA, message: `/say ${DATA} /ask=2` };
  const { session, run } = await client.call("createSession", { body });
  const sessionId = session.id;
  const runId = run?.id ?? "";
  /** The nth question, once the host has recorded the mark of the workspace. */
  const asked = async (n: number) => {
    let approvalId: string | null = null;
    for await (const step of client.follow({ session: sessionId, after: 0 })) {
      if (step.type !== "event") continue;
      const { event } = step;
      if (event.kind === "approval.requested" && --n === 0) approvalId = event.approvalId;
      if (event.kind === "approval.marked" && event.approvalId === approvalId) return approvalId;
    }
    throw new Error("It did not ask.");
  };
  const decided = await client.call("decideApproval", {
    params: { runId, approvalId: await asked(1) },
    body: { decision: "allow_always" },
  });
  if (!decided.success) throw new Error("The first question was not answered.");
  const approvalId = await asked(2);
  const { rules } = await client.call("listRules", { params: { sessionId } });
  const sent = { params: { sessionId }, body: { content: `/say ${LONG}` } };
  const { queued } = await client.call("sendMessage", sent);
  const { code } = await client.call("createLink", { body: {} });
  const device = await client.call("login", { body: { code, name: `${DATA} phone` } });
  const key = await client.call("createKey", { body: { name: `${DATA} key` } });
  const { entries } = await client.call("listFiles", { params: { sessionId } });
  const path = entries.find(({ kind }) => kind === "file")?.name ?? "";
  const ids: Ids = {
    path,
    sessionId,
    runId,
    approvalId,
    messageId: queued?.id ?? "",
    ruleId: rules[0]?.id ?? "",
    deviceId: device.device.id,
    keyId: key.key.id,
    hash: queued?.blob?.hash ?? "",
  };
  return { ids, deviceToken: device.token, keySecret: key.secret };
}

/** All data that a stranger could have changed, as one value to compare. */
export async function everything(target: Pick<Target, "client" | "events">, sessionId: string) {
  const { client } = target;
  const [events, sessions, devices, keys] = await Promise.all([
    target.events(sessionId),
    client.call("listSessions", { query: { limit: 200 } }),
    client.call("listDevices"),
    client.call("listKeys"),
  ]);
  return {
    events,
    sessions: sessions.sessions.map(({ id, title, lastSeq }) => ({ id, title, lastSeq })),
    devices: devices.devices.map(({ id }) => id),
    keys: keys.keys.map(({ id }) => id),
  };
}
