/** Where a link of an agent may lead: out, in a new tab, and nowhere that runs. */

const allowed = new Set(["http:", "https:", "mailto:"]);

/** The address, or null when it is shown as text only. Relative ones would lead into this page. */
export function safeHref(href: string): string | null {
  if (!URL.canParse(href)) return null;
  const url = new URL(href);
  return allowed.has(url.protocol) ? url.href : null;
}
