/** A dialog above the page: it traps the focus, and on a phone it slides in from below. */

import { Dialog } from "@base-ui/react/dialog";
import { X } from "lucide-react";
import type { ReactNode, RefObject } from "react";
import { Scrolling } from "./scrolling.tsx";
import { classes } from "./tone.ts";

interface SheetProps {
  readonly title: string;
  readonly about?: string;
  readonly isWide?: boolean;
  /** True when there are no controls: the body takes the focus, to scroll by keyboard. */
  readonly isReading?: boolean;
  /** The element to focus first; by default the first that can take the focus. */
  readonly first?: RefObject<HTMLElement | null>;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

const body = "min-h-0 px-5 pt-3 pb-5";

/** Keeps the focused field visible when the dialog shrinks, as on a phone that is turned. */
function keepFocusInView(inside: HTMLElement | null): (() => void) | undefined {
  if (inside === null) return undefined;
  const sizes = new ResizeObserver(() => {
    const focused = document.activeElement;
    if (inside.contains(focused)) focused?.scrollIntoView({ block: "nearest" });
  });
  sizes.observe(inside);
  return () => sizes.disconnect();
}

export function Sheet({
  title,
  about,
  isWide = false,
  isReading = false,
  first,
  onClose,
  children,
}: SheetProps) {
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 bg-veil" />
        <Dialog.Popup
          initialFocus={first}
          className={classes(
            "slide-up fixed inset-x-0 bottom-0 flex max-h-[92dvh] flex-col overflow-hidden rounded-t bg-raised pb-[env(safe-area-inset-bottom)] shadow-float outline-none",
            "wide:inset-x-auto wide:top-[8vh] wide:bottom-auto wide:left-1/2 wide:max-h-[84vh] wide:w-full wide:-translate-x-1/2 wide:rounded",
            isWide ? "wide:max-w-[640px]" : "wide:max-w-[480px]",
          )}
        >
          <div className="pt-3 pr-14 pl-5">
            <div className="py-1.5">
              <Dialog.Title className="text-lg font-semibold">{title}</Dialog.Title>
              {about !== undefined && (
                <Dialog.Description className="mt-1 text-sm text-quiet">{about}</Dialog.Description>
              )}
            </div>
          </div>
          {isReading ? (
            <Scrolling label={title} className={classes("outline-none", body)}>
              {children}
            </Scrolling>
          ) : (
            // Bottom scroll padding keeps a focused field above the sticky buttons.
            <div ref={keepFocusInView} className={classes("scroll-pb-20 overflow-y-auto", body)}>
              {children}
            </div>
          )}
          {/* Last in the order, so that the focus starts in the content. */}
          <Dialog.Close
            aria-label="Close"
            className="absolute top-2 right-2 inline-flex size-11 shrink-0 items-center justify-center rounded text-quiet hover:bg-sunken hover:text-ink wide:size-9"
          >
            <X className="size-5" aria-hidden="true" />
          </Dialog.Close>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
