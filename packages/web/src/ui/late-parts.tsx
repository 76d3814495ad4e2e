/** Placeholders for a part of the page whose code could not be loaded. */

import { useLocation } from "wouter";
import { Button } from "./button.tsx";
import type { Late } from "./later.tsx";
import { Nothing } from "./notices.tsx";

interface LatePartProps {
  readonly late?: Late;
  readonly onClose?: () => void;
}

/** A pane. Without `onClose` its button leads to the list. */
export function LatePane({ late, onClose }: LatePartProps) {
  const [, go] = useLocation();
  return late === undefined ? null : <LateWords late={late} onBack={onClose ?? (() => go("/"))} />;
}

export function LateLayer({ late, onClose = () => undefined }: LatePartProps) {
  if (late === undefined) return null;
  return (
    <div className="fixed inset-0 z-10 bg-paper">
      <LateWords late={late} onBack={onClose} />
    </div>
  );
}

function LateWords({ late, onBack }: { readonly late: Late; readonly onBack: () => void }) {
  return (
    <section aria-label="Not loaded" className="h-full">
      <Nothing title="This part of the page could not be loaded">
        <span className="block" role="status">
          The host may be offline. Trying again…
        </span>
        <span className="mt-4 flex flex-wrap gap-2">
          <Button look="main" onClick={late.onRetry}>
            Try now
          </Button>
          <Button onClick={onBack}>Back</Button>
          <Button onClick={() => location.reload()}>Reload the page</Button>
        </span>
      </Nothing>
    </section>
  );
}
