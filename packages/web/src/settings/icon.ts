/** Shows the number of sessions that need a person on the tab's icon and the app's badge. */

const knot =
  '<g fill="none" stroke="#5cc9a4" stroke-width="3" stroke-linecap="round"><path d="M16 4v5.5M16 22.5v5.5"/><path d="M16 9.5c6.5 2 6.5 4.5 0 6.5s-6.5 4.5 0 6.5"/><path d="M16 9.5c-6.5 2-6.5 4.5 0 6.5s6.5 4.5 0 6.5"/></g>';

function iconWith(needs: number): string {
  if (needs === 0) return "/icon.svg";
  const dot = '<circle cx="24" cy="8" r="8" fill="#f0b341"/>';
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#17202b"/>${knot}${dot}</svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}

type Badged = { setAppBadge?: (n: number) => Promise<void> };

export function showCount(needs: number): void {
  document.querySelector("link[rel=icon]")?.setAttribute("href", iconWith(needs));
  // Only an installed app has a badge; elsewhere the call is rejected, which is harmless.
  void (navigator as Badged).setAppBadge?.(needs).catch(() => undefined);
}
