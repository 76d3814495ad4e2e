/**
 * Requests that a proxy before us may have read differently. What follows one on its connection may be
 * a part of it, so that nothing more is done there.
 */

import type { Socket } from "node:net";
import { HostError } from "@holdfast/protocol";
import { oddFraming, repeatedHeader } from "./guard.ts";

const misread = new WeakSet<Socket>();

export function ambiguous(headers: Headers, socket: Socket | undefined): HostError | null {
  if (socket !== undefined && misread.has(socket)) {
    return new HostError("bad_input", "Open another connection.", { close: true });
  }
  const refused = repeatedHeader(headers) ?? oddFraming(headers);
  if (refused !== null && socket !== undefined) misread.add(socket);
  return refused;
}
