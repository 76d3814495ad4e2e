/** Formats a refusal as problem+json, for a response or for a raw socket. */

import { STATUS_CODES } from "node:http";
import type { HostError, Problem } from "@holdfast/protocol";
import { protectiveHeaders } from "./protective-headers.ts";

export function problemOf({ status, code, message, details }: HostError): Problem {
  const title = STATUS_CODES[status] ?? "Error";
  const known = { type: "about:blank", title, status, code, detail: message, error: message };
  return details?.field === undefined ? known : { ...known, field: details.field };
}

export function problemResponse(error: HostError): Response {
  const { status } = error;
  return new Response(JSON.stringify(problemOf(error)), { status, headers: headersOf(error) });
}

/** For a socket without a parsed request, or one that was to be upgraded. */
export function problemBytes(error: HostError): string {
  const { status } = error;
  const body = JSON.stringify(problemOf(error));
  const headers = {
    ...protectiveHeaders,
    ...headersOf(error),
    "content-length": Buffer.byteLength(body),
    connection: "close",
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, "", body].join("\r\n");
}

function headersOf({ code, spec, details }: HostError): Record<string, string> {
  return {
    "content-type": "application/problem+json",
    ...(code === "unauthorized" && { "www-authenticate": "Bearer" }),
    ...(code === "rate_limited" && { "retry-after": String(details?.retryAfter ?? 1) }),
    ...(code === "upgrade_required" && { upgrade: "websocket" }),
    ...(code === "method_not_allowed" && { allow: String(details?.allow ?? "") }),
    // The refused body is still arriving, so the connection cannot be reused.
    ...((spec.isUnread === true || details?.close === true) && { connection: "close" }),
  };
}
