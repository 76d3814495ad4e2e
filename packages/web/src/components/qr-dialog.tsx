/** This session on a phone: a link that works once, as a picture for its camera. */

import { encode } from "uqr";
import { age } from "../words/measures.ts";
import { CopyButton } from "./copy-button.tsx";
import { Sheet } from "./dialog.tsx";

export interface OneTimeLink {
  readonly url: string;
  readonly expiresAt: string;
}

interface QrDialogProps {
  /** Null while the host makes one. */
  readonly link: OneTimeLink | null;
  readonly now: number;
  readonly onClose: () => void;
}

export default function QrDialog({ link, now, onClose }: QrDialogProps) {
  return (
    <Sheet
      title="Open on a phone"
      about="Scan it with the camera. The link lets one device in, once, and opens this session there."
      onClose={onClose}
    >
      {link === null ? (
        <p className="py-16 text-center text-sm text-quiet">The host makes a link …</p>
      ) : (
        <div className="grid grid-cols-1 justify-items-center gap-4">
          <Qr text={link.url} />
          <p className="flex w-full items-center gap-1 rounded border border-hair pl-3 font-mono text-xs">
            <span className="inert min-w-0 flex-1 truncate">{link.url}</span>
            <CopyButton text={link.url} label="Copy link" />
          </p>
          <p className="text-xs text-quiet">
            Good for {age(new Date(now).toISOString(), Date.parse(link.expiresAt))} more. Devices
            can be locked out again in Settings.
          </p>
        </div>
      )}
    </Sheet>
  );
}

/** Dark on light in either theme: many cameras read nothing else. */
function Qr({ text }: { readonly text: string }) {
  const { data, size } = encode(text, { border: 3 });
  const path = data
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : "")))
    .join("");
  return (
    <svg
      viewBox={`0 0 ${size} ${size}`}
      className="w-full max-w-64 rounded"
      role="img"
      aria-label="QR code of the link"
      shapeRendering="crispEdges"
    >
      <rect width={size} height={size} fill="white" />
      <path d={path} fill="black" />
    </svg>
  );
}
