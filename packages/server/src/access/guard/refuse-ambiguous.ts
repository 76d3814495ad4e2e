/**
 * Refuses requests that a proxy in front may have parsed differently. Later requests on the same
 * connection are refused too, because they may be a part of that request's body.
 */

import type { Socket } from "node:net";
import { HostError } from "@holdfast/protocol";
import { oddFraming, repeatedHeader } from "./guard.ts";

const refusedSockets = new WeakSet<Socket>();

export function refuseAmbiguous(headers: Headers, socket: Socket | undefined): HostError | null {
  if (socket !== undefined && refusedSockets.has(socket)) {
    return new HostError("bad_input", "Open another connection.", { close: true });
  }
  const refused = repeatedHeader(headers) ?? oddFraming(headers);
  if (refused !== null && socket !== undefined) refusedSockets.add(socket);
  return refused;
}
