import { visible } from "@holdfast/protocol";
import type { ReactNode } from "react";
import { Alert } from "./alert.tsx";
import { Button } from "./button.tsx";
import { CopyLine } from "./copy-button.tsx";
import { Logo } from "./logo.tsx";

/** Says which browser features need a secure page, and how to get one. */
export function LanNotice({ onDismiss }: { readonly onDismiss: () => void }) {
  return (
    <aside className="border-b border-hair bg-sunken px-4 py-3 text-sm" aria-label="Plain http">
      <p className="font-medium">This page is not encrypted (plain http).</p>
      <p className="mt-1 text-quiet">
        Anyone in this network can read what is sent. Notifications, installing as an app and copy
        buttons work only over https. To get https, use{" "}
        <code className="font-mono text-xs">tailscale serve</code> or a tunnel.
      </p>
      <Button look="quiet" className="-ml-4 wide:-ml-3" onClick={onDismiss}>
        Understood
      </Button>
    </aside>
  );
}

interface FirstVisitProps {
  readonly isBusy: boolean;
  readonly problem: string | null;
  readonly command: string;
  readonly onDemo: () => void;
  readonly onNew: () => void;
}

export function FirstVisit({ isBusy, problem, command, onDemo, onNew }: FirstVisitProps) {
  return (
    <Middle>
      <Rope />
      <h2 className="text-xl font-semibold">No sessions yet</h2>
      <p className="text-quiet">
        Start the demo agent: it needs no key and works for real. Then open Details → Break it: kill
        the agent or the host, cut the network, and see that nothing is lost.
      </p>
      <div className="mt-2 flex w-full flex-col gap-2 wide:w-auto wide:flex-row">
        <Button look="main" disabled={isBusy} onClick={onDemo}>
          {isBusy ? "Starting …" : "Start the demo"}
        </Button>
        <Button onClick={onNew}>New session</Button>
      </div>
      <Alert words={problem} />
      <p className="mt-4 text-sm text-quiet">Or in a terminal on the host:</p>
      <CopyLine text={`${command} run "Improve this program"`} label="Copy command" />
    </Middle>
  );
}

export function SignedOut({ problem }: { readonly problem: string | null }) {
  return (
    <WholePage title="This device is not signed in">
      <p className="text-quiet">
        {problem ?? "Open a sign-in link here. A terminal on the host makes one:"}
      </p>
      <CopyLine text="holdfast link" label="Copy command" />
      <p className="text-sm text-quiet">
        If the host’s data is not in ~/.holdfast, add --data DIR.
      </p>
    </WholePage>
  );
}

interface UnusableLinkProps {
  readonly problem: string;
  readonly onGoOn: () => void;
}

/** Shown when a signed-in browser opens a link that was used before, or is refused otherwise. */
export function UnusableLink({ problem, onGoOn }: UnusableLinkProps) {
  return (
    <WholePage title="You are signed in already">
      <p className="inert text-quiet">{visible(problem)}</p>
      <Button look="main" className="mt-2" onClick={onGoOn}>
        Continue
      </Button>
    </WholePage>
  );
}

interface OtherTenantProps {
  readonly from: string;
  readonly to: string;
  readonly onStay: () => void;
  readonly onSwitch: () => void;
}

/** Asks before a link switches a signed-in browser to another tenant's sessions. */
export function OtherTenant({ from, to, onStay, onSwitch }: OtherTenantProps) {
  return (
    <WholePage title={`Sign in to “${visible(to)}” instead?`}>
      <p className="text-quiet">
        This browser is signed in to “{visible(from)}”. The link belongs to “{visible(to)}”: what
        you type after switching goes there. Stay if you did not ask for this link.
      </p>
      <div className="mt-2 flex w-full flex-col gap-2 wide:w-auto wide:flex-row">
        <Button look="main" onClick={onStay}>
          Stay in “{visible(from)}”
        </Button>
        <Button onClick={onSwitch}>Switch to “{visible(to)}”</Button>
      </div>
    </WholePage>
  );
}

interface NothingProps {
  readonly title: string;
  /** `h1` for a notice that replaces the whole page. */
  readonly heading?: "h1" | "h2";
  readonly children?: ReactNode;
}

export function Nothing({ title, heading: Heading = "h2", children }: NothingProps) {
  return (
    <Middle>
      <Heading className="text-lg font-semibold">{title}</Heading>
      {children !== undefined && <div className="text-quiet">{children}</div>}
    </Middle>
  );
}

function Middle({ children }: { readonly children: ReactNode }) {
  return (
    <div className="flex h-full items-center overflow-y-auto px-6 py-10 wide:px-12">
      <div className="mx-auto flex w-full min-w-0 max-w-[440px] flex-col items-start gap-2">
        {children}
      </div>
    </div>
  );
}

function WholePage({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <main className="h-full">
      <Middle>
        <Logo className="size-10" />
        <h1 className="text-xl font-semibold">{title}</h1>
        {children}
      </Middle>
    </main>
  );
}

/** The line, a cut, and the splice over it: an illustration of the product. */
function Rope() {
  return (
    <svg
      viewBox="0 0 220 40"
      className="mb-4 h-10 w-55"
      aria-hidden="true"
      fill="none"
      strokeWidth="2"
      strokeLinecap="round"
    >
      <path d="M4 20h82M134 20h82" stroke="var(--alive-line)" />
      <circle cx="30" cy="20" r="5" fill="var(--ink)" />
      <circle cx="60" cy="20" r="4" fill="var(--paper)" stroke="var(--alive-line)" />
      <circle cx="164" cy="20" r="4" fill="var(--paper)" stroke="var(--alive-line)" />
      <circle cx="194" cy="20" r="4" fill="var(--alive-line)" />
      <g stroke="var(--recovered-line)">
        <path d="M86 20c4-12 8-12 12 0s8 12 12 0 8-12 12 0 8 12 12 0" />
        <path d="M86 20c4 12 8 12 12 0s8-12 12 0 8 12 12 0 8-12 12 0" />
      </g>
    </svg>
  );
}
