/**
 * Reloads a page that is older than the host's: once for each version, and never while a reload
 * would lose unsaved input. Drafts and the outbox are saved anyway.
 */

import { tabKeys } from "./storage.ts";

export interface PagePlace {
  readonly fetch: (url: string) => Promise<{ readonly ok: boolean; text(): Promise<string> }>;
  /** The path of this page's entry script; null when it is unknown. */
  readonly entry: string | null;
  readonly storage: Pick<Storage, "getItem" | "setItem"> | null;
  readonly reload: () => void;
  readonly isTouched: () => boolean;
}

const entryTag = /<script[^>]*\btype="module"[^>]*\bsrc="([^"]+)"/;

export function entryIn(html: string): string | null {
  return entryTag.exec(html)?.[1] ?? null;
}

/** The entry script of the page that the host serves now; null when the host does not answer. */
async function servedEntry({ fetch }: PagePlace): Promise<string | null> {
  try {
    const reply = await fetch("/");
    return reply.ok ? entryIn(await reply.text()) : null;
  } catch {
    return null;
  }
}

const KEY = "holdfast.reloaded";

/** Reloads once for each reason in this tab; false when it does not reload. */
function reloadOnce(place: PagePlace, reason: string): boolean {
  const { storage, isTouched, reload } = place;
  // Requires storage, because without it the page could reload forever. All reasons are kept, since
  // two parts may fail in turn.
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

/** Called after a reconnect: reloads when the host serves a newer page. */
export async function reloadIfOlder(place: PagePlace): Promise<boolean> {
  const served = await servedEntry(place);
  if (served === null || place.entry === null || served === place.entry) return false;
  return reloadOnce(place, served);
}

/** Called when code fails to load though the host answers: only a reload can help. */
export async function reloadForCode(place: PagePlace, name: string): Promise<boolean> {
  const served = await servedEntry(place);
  if (served === null) return false;
  return reloadOnce(place, served === place.entry ? `${served} for ${name}` : served);
}

export function thisPage(): PagePlace {
  const script = document.querySelector<HTMLScriptElement>("script[type=module][src]");
  return {
    fetch: (url) => fetch(url, { cache: "no-store", headers: { accept: "text/html" } }),
    entry: script?.getAttribute("src") ?? null,
    storage: tabKeys(),
    reload: () => location.reload(),
    isTouched: () => hasWork(document),
  };
}

/** True when a field is focused or holds unsaved input. Only the message box saves its draft. */
function hasWork(page: Document): boolean {
  const active = page.activeElement;
  if (active?.matches("textarea, input:not([type=radio], [type=checkbox])")) return true;
  const fields = page.querySelectorAll<HTMLInputElement>("textarea:not([data-kept]), input");
  return [...fields].some(({ type, value }) => type !== "radio" && value !== "");
}
