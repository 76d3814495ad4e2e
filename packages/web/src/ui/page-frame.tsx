/** The frame of a page that is read from top to bottom: agents, settings. */

import { ChevronLeft } from "lucide-react";
import type { ReactNode } from "react";
import { IconButton } from "./button.tsx";
import { Scrolling } from "./scrolling.tsx";

interface PageFrameProps {
  readonly title: string;
  readonly onBack: () => void;
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}

export function PageFrame({ title, onBack, aside, children }: PageFrameProps) {
  return (
    <div className="flex h-full min-h-0 flex-col">
      <header className="flex items-center gap-1 border-b border-hair pt-[env(safe-area-inset-top)] pr-4 wide:h-[85px] wide:pl-5">
        <IconButton label="Back" onClick={onBack} className="wide:hidden">
          <ChevronLeft />
        </IconButton>
        <h1 className="py-3 text-lg font-semibold wide:text-xl">{title}</h1>
        <span className="ml-auto">{aside}</span>
      </header>
      <Scrolling label={title} className="min-h-0 flex-1">
        <div className="max-w-[680px] px-4 pt-2 pb-12 wide:px-6">{children}</div>
      </Scrolling>
    </div>
  );
}

interface SectionProps {
  readonly title: string;
  readonly about?: string;
  readonly children: ReactNode;
}

export function Section({ title, about, children }: SectionProps) {
  return (
    <section className="border-b border-hair py-5 last:border-b-0">
      <h2 className="font-semibold">{title}</h2>
      {about !== undefined && <p className="mt-0.5 text-sm text-quiet">{about}</p>}
      <div className="mt-3">{children}</div>
    </section>
  );
}
