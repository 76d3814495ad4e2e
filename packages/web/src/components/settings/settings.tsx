import { type DeviceView, visibleLine } from "@holdfast/protocol";
import { Monitor, Moon, Sun } from "lucide-react";
import { useState } from "react";
import type { NotifyState } from "../../settings/notify.ts";
import type { Theme } from "../../settings/theme.ts";
import { Button, TextButton } from "../../ui/button.tsx";
import { Confirm } from "../../ui/confirm.tsx";
import { Section } from "../../ui/page-frame.tsx";
import { Time } from "../../ui/time.tsx";
import { classes } from "../../ui/tone.ts";

interface SettingsProps {
  readonly theme: Theme;
  readonly notify: NotifyState;
  readonly devices: readonly DeviceView[];
  readonly host: { readonly version: string; readonly url: string };
  readonly now: number;
  readonly isRevoking: boolean;
  readonly problem: string | null;
  readonly onTheme: (theme: Theme) => void;
  readonly onNotify: (isOn: boolean) => void;
  /** Resolves to true when the host has signed the device out. */
  readonly onRevoke: (id: string) => Promise<boolean>;
  readonly onSeen: () => void;
  readonly onLink: () => void;
  readonly onAgents: () => void;
  readonly onKeyboard: () => void;
}

export function Settings(props: SettingsProps) {
  const { theme, notify, devices, host } = props;
  return (
    <>
      <Section title="Appearance">
        <ThemeChoice theme={theme} onTheme={props.onTheme} />
      </Section>
      <Section title="Notifications" about={notifyWords[notify]}>
        {(notify === "on" || notify === "off") && (
          <Button onClick={() => props.onNotify(notify === "off")}>
            {notify === "on" ? "Turn off" : "Tell me when a session needs me"}
          </Button>
        )}
      </Section>
      <Section
        title="Devices"
        about="Devices that are signed in. Signing one out disconnects it at once."
      >
        <ul className="divide-y divide-hair border-y border-hair">
          {devices.map((device) => (
            <Device key={device.id} device={device} {...props} />
          ))}
        </ul>
        <Button className="mt-3" onClick={props.onLink}>
          Add a device
        </Button>
      </Section>
      <Section title="Agents" about="Which agents are ready, and how to install the others.">
        <Button onClick={props.onAgents}>Show agents</Button>
      </Section>
      <Section title="About">
        <dl className="grid grid-cols-[96px_1fr] gap-y-1 text-sm">
          <dt className="text-quiet">Host</dt>
          <dd className="inert">{host.url}</dd>
          <dt className="text-quiet">Version</dt>
          <dd>{host.version}</dd>
          <dt className="text-quiet">Keyboard</dt>
          <dd>
            <TextButton onClick={props.onKeyboard}>Show all keys</TextButton>
          </dd>
        </dl>
      </Section>
    </>
  );
}

const notifyWords: Readonly<Record<NotifyState, string>> = {
  on: "This browser tells you when a session needs you, is done, or failed.",
  off: "Off on this device.",
  blocked: "Blocked for this page. You can allow them in the browser’s settings.",
  insecure:
    "Not available over plain http. Browsers allow notifications only over https or on the host’s own machine.",
  missing: "This browser does not offer notifications to web pages.",
  unusable:
    "This browser does not show notifications from web pages. On Android, install this page as an app.",
};

const themes = [
  { theme: "system", name: "System", icon: Monitor },
  { theme: "light", name: "Light", icon: Sun },
  { theme: "dark", name: "Dark", icon: Moon },
] as const;

function ThemeChoice({ theme, onTheme }: Pick<SettingsProps, "theme" | "onTheme">) {
  return (
    <div
      role="radiogroup"
      aria-label="Theme"
      className="inline-flex divide-x divide-edge overflow-hidden rounded border border-edge"
    >
      {themes.map(({ theme: one, name, icon: Icon }) => (
        <label
          key={one}
          className={classes(
            "flex h-11 cursor-pointer items-center gap-2 px-4 text-sm has-focus-visible:outline-2 wide:h-9 wide:px-3",
            one === theme ? "bg-ink text-paper" : "hover:bg-sunken",
          )}
        >
          <input
            type="radio"
            name="theme"
            className="sr-only"
            checked={one === theme}
            onChange={() => onTheme(one)}
          />
          <Icon className="size-4" aria-hidden="true" />
          {name}
        </label>
      ))}
    </div>
  );
}

type DeviceProps = { readonly device: DeviceView } & Pick<
  SettingsProps,
  "now" | "isRevoking" | "problem" | "onRevoke" | "onSeen"
>;

function Device({ device, now, isRevoking, problem, onRevoke, onSeen }: DeviceProps) {
  const { id, name, current, lastSeenAt, createdAt } = device;
  const [isAsked, setAsked] = useState(false);
  const close = () => {
    setAsked(false);
    onSeen();
  };
  return (
    <li className="flex min-h-14 items-center gap-3 py-1">
      <div className="min-w-0 flex-1">
        <p className="inert truncate font-medium">
          {visibleLine(name)}
          {current && <span className="font-normal text-quiet"> · this one</span>}
        </p>
        <p className="text-sm text-quiet">
          {lastSeenAt === null ? (
            "never active"
          ) : (
            <>
              active <Time at={lastSeenAt} now={now} />
            </>
          )}
          , signed in <Time at={createdAt} now={now} />
        </p>
      </div>
      <Button look="quiet" onClick={() => setAsked(true)}>
        Sign out
      </Button>
      {isAsked && (
        <Confirm
          title={current ? "Sign this device out?" : `Sign ${visibleLine(name)} out?`}
          about={current ? signOut : lockOut}
          verb="Sign out"
          doing="Signing out …"
          isBusy={isRevoking}
          problem={problem}
          onConfirm={() => void onRevoke(id).then((isDone) => isDone && close())}
          onClose={close}
        />
      )}
    </li>
  );
}

const signOut =
  "To sign in again, you need a new link: run holdfast link in a terminal on the host. Devices and keys that this device added are signed out as well. Sessions keep running. Unsent messages on this device are not sent.";
const lockOut =
  "It is disconnected at once and needs a new link to sign in again. Devices and keys that it added are signed out as well. Sessions keep running.";
