/** Security headers of every answer; CORS headers are deliberately absent. */

export const protectiveHeaders = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
} as const;

/** Adds the missing headers. The app shell sets its own policy and caching. */
export function protect(headers: Headers): void {
  for (const [name, value] of Object.entries(protectiveHeaders)) {
    if (!headers.has(name)) headers.set(name, value);
  }
}
