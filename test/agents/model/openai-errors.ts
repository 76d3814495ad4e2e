/** Errors, the same in both wire formats of OpenAI. */

import type { Wire } from "./wire.ts";

const OVERLOADED = 503;
const codes: Readonly<Record<number, string>> = {
  401: "invalid_api_key",
  429: "rate_limit_exceeded",
  [OVERLOADED]: "server_is_overloaded",
};

export const failure: Wire["failure"] = ({ why }) => {
  const status = why === "overloaded" ? OVERLOADED : why;
  const code = codes[status] ?? "server_error";
  return { status, body: { error: { message: `asked for: ${why}`, type: code, code } } };
};
