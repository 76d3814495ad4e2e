/**
 * A page that is older than its host's reloads itself, once for each version that it meets and never
 * in the middle of something that a reload would lose. Drafts and the outbox are kept anyway.
 */

/** As much of a browser as is used. */
export interface PagePlace {
  readonly fetch: (url: string) => Promise<{ readonly ok: boolean; text(): Promise<string> }>;
  /** The path of the script that this page was started by; null when it cannot be told. */
  readonly entry: string | null;
  readonly storage: Pick<Storage, "getItem" | "setItem"> | null;
  readonly reload: () => void;
  /** Somebody has written something that only this page has. */
  readonly isTouched: () => boolean;
}

const entryTag = /<script[^>]*\btype="module"[^>]*\bsrc="([^"]+)"/;

export function entryIn(html: string): string | null {
  return entryTag.exec(html)?.[1] ?? null;
}

/** The script of the page that the host would give now; null when nobody answers. */
async function servedEntry({ fetch }: PagePlace): Promise<string | null> {
  try {
    const reply = await fetch("/");
    return reply.ok ? entryIn(await reply.text()) : null;
  } catch {
    return null;
  }
}

const KEY = "holdfast.reloaded";

/** Reloads for this reason unless it did so before in this tab. False when it may not, or not now. */
export function reloadOnce(place: PagePlace, reason: string): boolean {
  const { storage, isTouched, reload } = place;
  // Without a memory it could reload for ever; two parts that fail in turn are remembered both.
  const before = storage?.getItem(KEY)?.split("\n") ?? [];
  if (storage === null || before.includes(reason) || isTouched()) return false;
  try {
    storage.setItem(KEY, [...before, reason].join("\n"));
  } catch {
    return false;
  }
  reload();
  return true;
}

/** For a page that has just reached its host again. */
export async function reloadIfOlder(place: PagePlace): Promise<boolean> {
  const served = await servedEntry(place);
  if (served === null || place.entry === null || served === place.entry) return false;
  return reloadOnce(place, served);
}

/** For code that cannot be loaded although the host answers: a reload is the only way left. */
export async function reloadForCode(place: PagePlace, name: string): Promise<boolean> {
  const served = await servedEntry(place);
  if (served === null) return false;
  return reloadOnce(place, served === place.entry ? `${served} for ${name}` : served);
}

/** The browser's own. */
export function thisPage(): PagePlace {
  const script = document.querySelector<HTMLScriptElement>("script[type=module][src]");
  return {
    fetch: (url) => fetch(url, { cache: "no-store", headers: { accept: "text/html" } }),
    entry: script?.getAttribute("src") ?? null,
    storage: sessionKeys(),
    reload: () => location.reload(),
    isTouched: () => hasWork(document),
  };
}

/** The message box keeps its draft with every letter; no other field does. */
function hasWork(page: Document): boolean {
  const active = page.activeElement;
  if (active?.matches("textarea, input:not([type=radio], [type=checkbox])")) return true;
  const fields = page.querySelectorAll<HTMLInputElement>("textarea:not([data-kept]), input");
  return [...fields].some(({ type, value }) => type !== "radio" && value !== "");
}

function sessionKeys(): Storage | null {
  try {
    return sessionStorage;
  } catch {
    return null;
  }
}
