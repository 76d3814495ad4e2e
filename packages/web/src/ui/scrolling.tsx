import type { ReactNode } from "react";
import { classes } from "./tone.ts";

interface ScrollingProps {
  readonly label: string;
  readonly className?: string;
  readonly children: ReactNode;
}

/** A scroll area. It takes the focus, so that it scrolls by keyboard as well. */
export function Scrolling({ label, className, children }: ScrollingProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for form fields.
    <div
      ref={tellMore}
      role="group"
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: without it a keyboard could not scroll.
      tabIndex={0}
      className={classes("overflow-auto -outline-offset-2", className)}
    >
      {children}
    </div>
  );
}

/** Sets `data-more` to the sides with more content; base.css fades those edges. */
function tellMore(one: HTMLElement | null): (() => void) | undefined {
  if (one === null) return undefined;
  const look = () => {
    const isBelow = one.scrollHeight - one.clientHeight - one.scrollTop > 1;
    const isRight = one.scrollWidth - one.clientWidth - one.scrollLeft > 1;
    one.dataset.more = classes(isBelow && "below", isRight && "right");
  };
  const sizes = new ResizeObserver(look);
  for (const part of [one, ...one.children]) sizes.observe(part);
  one.addEventListener("scroll", look, { passive: true });
  return () => {
    sizes.disconnect();
    one.removeEventListener("scroll", look);
  };
}
