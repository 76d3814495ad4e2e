/** What every answer says to a browser, whoever made it; there is no CORS header among them. */

export const protectiveHeaders = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
} as const;

/** Only the app shell sets its own policy and may be cached; what is set already stays. */
export function protect(headers: Headers): void {
  for (const [name, value] of Object.entries(protectiveHeaders)) {
    if (!headers.has(name)) headers.set(name, value);
  }
}
