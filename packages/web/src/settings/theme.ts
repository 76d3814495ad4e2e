/** The theme; `theme.js` reads the same key before the first paint. */

export type Theme = "system" | "light" | "dark";

const KEY = "holdfast.theme";

export function readTheme(storage: Pick<Storage, "getItem"> | null): Theme {
  const kept = storage?.getItem(KEY);
  return kept === "light" || kept === "dark" ? kept : "system";
}

export function applyTheme(theme: Theme, storage: Storage | null, root: HTMLElement): void {
  if (theme === "system") {
    delete root.dataset.theme;
    storage?.removeItem(KEY);
    return;
  }
  root.dataset.theme = theme;
  storage?.setItem(KEY, theme);
}
