/** A one-time link as a QR code, which opens this session or the list on a phone. */

import { age, type RouteReply, visible } from "@holdfast/protocol";
import { encode } from "uqr";
import { CopyLine } from "../../ui/copy-button.tsx";
import { Sheet } from "../../ui/dialog.tsx";

export type OneTimeLink = Pick<RouteReply<"createLink">, "url" | "expiresAt" | "reach">;

interface QrDialogProps {
  readonly link: OneTimeLink | null;
  readonly opens: "session" | "list";
  readonly now: number;
  /** The command that starts the CLI for this host in a terminal. */
  readonly command: string;
  readonly problem: string | null;
  readonly onClose: () => void;
}

export default function QrDialog({ link, opens, now, command, problem, onClose }: QrDialogProps) {
  const isFar = link?.reach === "network";
  return (
    <Sheet
      title={opens === "list" ? "Add a device" : "Open on a phone"}
      about={
        link === null || isFar
          ? `Scan the code with the phone’s camera. The link signs in one device, once, and opens ${opens === "list" ? "the list of sessions" : "this session"} there.`
          : "A phone cannot reach this host yet: it listens only on this machine."
      }
      onClose={onClose}
    >
      {link === null && (
        <p className="inert py-16 text-center text-sm text-quiet">
          {problem === null ? "Creating a link …" : visible(problem)}
        </p>
      )}
      {link !== null && (
        <div className="grid grid-cols-1 justify-items-center gap-4">
          {isFar ? <Qr text={link.url} /> : <HowToReach command={command} />}
          <CopyLine text={link.url} label="Copy link" />
          <p className="w-full text-xs text-quiet">
            {!isFar && "This link works once, in another browser on this machine. "}
            The link expires in {age(new Date(now).toISOString(), Date.parse(link.expiresAt))}. You
            can sign devices out in Settings.
          </p>
        </div>
      )}
    </Sheet>
  );
}

/** The ways to reach the host, the safest first, as the README and `holdfast link` have them. */
function HowToReach({ command }: Pick<QrDialogProps, "command">) {
  const start = `${command} serve --restart --host 0.0.0.0 --allow-remote ADDRESS`;
  return (
    <div className="grid w-full gap-2 text-sm">
      <p>
        Best is a tunnel or proxy with TLS, such as{" "}
        <code className="font-mono text-xs">tailscale serve</code>. The README says how.
      </p>
      <p>In a network that you trust, stop the host and start it like this:</p>
      <CopyLine text={start} label="Copy command" />
      <p className="text-quiet">
        ADDRESS is the name or address that the phone uses for this machine, such as 192.168.1.20.
        Sessions keep running during the restart. Everyone in that network can then read what is
        sent.
      </p>
    </div>
  );
}

/** Dark on light in both themes, because many cameras read only that. */
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
