/** The guard for WebSocket upgrades, which bypass the middleware. */

import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { HostError } from "@holdfast/protocol";
import type { Access } from "../credentials/access.ts";
import type { Caller } from "../credentials/caller.ts";
import { overLimit } from "../limits/connections.ts";
import type { Failures } from "../limits/failures.ts";
import { problemBytes } from "../problem.ts";
import { bearerOf, foreignHost, foreignOrigin, ourHosts, repeatedHeader } from "./guard.ts";

interface UpgradeOptions {
  readonly access: Access;
  readonly port: () => number;
  readonly names?: readonly string[];
  readonly failures: Failures;
}

/**
 * Null when the upgrade has no credential: browsers cannot send one here. The first message must
 * then hold it, and the host sends no data before.
 */
export function admitUpgrade(
  request: IncomingMessage,
  { access, port, names, failures }: UpgradeOptions,
): Caller | null | HostError {
  const headers = headersOf(request);
  const url = URL.parse(request.url ?? "/", `http://${headers.get("host")}`)?.href ?? "";
  const refused =
    overLimit(request.socket) ??
    repeatedHeader(headers) ??
    foreignHost(headers, url, ourHosts(port(), names)) ??
    foreignOrigin(headers);
  if (refused !== null) return refused;
  const bearer = bearerOf(headers);
  if (bearer === null || bearer instanceof HostError) return bearer;
  return access.authenticate(bearer) ?? failures.count(request.socket.remoteAddress ?? "unknown");
}

export function refuseUpgrade(socket: Duplex, error: HostError): void {
  socket.once("error", () => socket.destroy());
  socket.end(problemBytes(error), () => socket.destroy());
}

/** Uses the raw list, because Node keeps only the first of a repeated header. */
function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    headers.append(rawHeaders[at] ?? "", rawHeaders[at + 1] ?? "");
  }
  return headers;
}
