/** Checks the target of an agent's link: only the web and mail, in a new tab. */

const allowed = new Set(["http:", "https:", "mailto:"]);

/** Null when the link is shown only as text: a relative one would lead into this page. */
export function safeHref(href: string): string | null {
  if (!URL.canParse(href)) return null;
  const url = new URL(href);
  return allowed.has(url.protocol) ? url.href : null;
}
