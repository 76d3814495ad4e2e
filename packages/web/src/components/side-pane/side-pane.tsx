import { X } from "lucide-react";
import type { KeyboardEvent, ReactNode } from "react";
import { IconButton } from "../../ui/button.tsx";
import { classes } from "../../ui/tone.ts";

export const tabs = ["Changes", "Files", "Timeline", "Details"] as const;
export type Tab = (typeof tabs)[number];

interface SidePaneProps {
  readonly tab: Tab;
  readonly counts: Partial<Record<Tab, number>>;
  readonly onTab: (tab: Tab) => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

export function SidePane({ tab, counts, onTab, onClose, children }: SidePaneProps) {
  const onKey = (event: KeyboardEvent) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    const next = tabs[(tabs.indexOf(tab) + step + tabs.length) % tabs.length];
    if (step === 0 || next === undefined) return;
    event.preventDefault();
    onTab(next);
    document.getElementById(`tab-${next}`)?.focus();
  };
  return (
    <section aria-label="Session details" className="flex h-full min-h-0 flex-col bg-paper">
      <h1 className="sr-only">{tab}</h1>
      <div className="flex items-end border-b border-hair pt-[env(safe-area-inset-top)] pr-1 wide:h-[85px]">
        <div role="tablist" aria-label="Show" className="flex min-w-0 flex-1 px-2">
          {tabs.map((one) => (
            <button
              key={one}
              id={`tab-${one}`}
              type="button"
              role="tab"
              aria-selected={one === tab}
              aria-controls="side-panel"
              tabIndex={one === tab ? 0 : -1}
              className={classes(
                "-mb-px h-12 border-b-2 px-2 text-sm wide:h-10",
                one === tab
                  ? "border-ink font-medium"
                  : "border-transparent text-quiet hover:text-ink",
              )}
              onClick={() => onTab(one)}
              onKeyDown={onKey}
            >
              {one}
              {counts[one] !== undefined && (
                <span className="ml-1 text-xs text-quiet">{counts[one]}</span>
              )}
            </button>
          ))}
        </div>
        <IconButton label="Close" className="mb-0.5" onClick={onClose}>
          <X />
        </IconButton>
      </div>
      <div
        id="side-panel"
        role="tabpanel"
        aria-labelledby={`tab-${tab}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and must by keyboard as well.
        tabIndex={0}
        className="min-h-0 flex-1 overflow-y-auto pb-[env(safe-area-inset-bottom)] -outline-offset-2"
      >
        {children}
      </div>
    </section>
  );
}
