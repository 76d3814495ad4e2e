/** An image from an agent or a tool. Its space is reserved before it loads. */

import { bytes, visibleLine } from "@holdfast/protocol";
import { useEffect, useState } from "react";
import type { Pictured } from "../../line/parts.ts";
import { useSessionActions } from "../../session-actions.ts";

export function PictureView({ picture, unshown }: Pictured) {
  const source = useSource(picture);
  if (picture === null) {
    return <p className="inert pb-1 text-sm text-quiet">A picture: {visibleLine(unshown)}.</p>;
  }
  const { width, height, blob } = picture;
  const words = `Picture, ${width} × ${height}, ${bytes(blob.bytes)}`;
  if (source === "failed")
    return <p className="pb-1 text-sm text-quiet">{words}: could not be loaded.</p>;
  return (
    <img
      src={source ?? undefined}
      alt={words}
      width={width}
      height={height}
      className="mb-2 h-auto max-h-[60dvh] w-auto max-w-full rounded border border-hair bg-sunken object-contain"
    />
  );
}

/** A data URL, which the page's policy allows: fetching needs this device's credential. */
function useSource(picture: Pictured["picture"]): string | "failed" | null {
  const { readBlob } = useSessionActions();
  const [source, setSource] = useState<string | "failed" | null>(null);
  const hash = picture?.blob.hash ?? null;
  const mime = picture?.mime ?? "";
  useEffect(() => {
    if (hash === null) return;
    let isWanted = true;
    const show = (shown: string) => {
      if (isWanted) setSource(shown);
    };
    readBlob(hash)
      .then((found) => dataUrl(found, mime))
      .then(show, () => show("failed"));
    return () => {
      isWanted = false;
    };
  }, [hash, mime, readBlob]);
  return source;
}

function dataUrl(found: Uint8Array, type: string): Promise<string> {
  const reader = new FileReader();
  return new Promise((resolve, reject) => {
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(new Blob([found as Uint8Array<ArrayBuffer>], { type }));
  });
}
