/** What this device and this host are set to. */

import type { DeviceView } from "@holdfast/protocol";
import { Monitor, Moon, Sun } from "lucide-react";
import type { NotifyState } from "../settings/notify.ts";
import type { Theme } from "../settings/theme.ts";
import { visibleLine } from "../text/inert.ts";
import { Button } from "./button.tsx";
import { Section } from "./page-frame.tsx";
import { Time } from "./time.tsx";
import { classes } from "./tone.ts";

export interface SettingsProps {
  readonly theme: Theme;
  readonly notify: NotifyState;
  readonly devices: readonly DeviceView[];
  readonly host: { readonly version: string; readonly url: string };
  readonly now: number;
  readonly onTheme: (theme: Theme) => void;
  readonly onNotify: (isOn: boolean) => void;
  readonly onRevoke: (id: string) => void;
  readonly onLink: () => void;
  readonly onAgents: () => void;
  readonly onKeyboard: () => void;
}

export function Settings(props: SettingsProps) {
  const { theme, notify, devices, host, now } = props;
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
        about="Each came in by a link that worked once. Locking one out ends its streams at once."
      >
        <ul className="divide-y divide-hair border-y border-hair">
          {devices.map((device) => (
            <Device key={device.id} device={device} now={now} onRevoke={props.onRevoke} />
          ))}
        </ul>
        <Button className="mt-3" onClick={props.onLink}>
          Let another device in
        </Button>
      </Section>
      <Section title="Agents" about="Which are ready, and how to get the others.">
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
            <button
              type="button"
              className="underline decoration-edge underline-offset-3"
              onClick={props.onKeyboard}
            >
              Show all keys
            </button>
          </dd>
        </dl>
      </Section>
    </>
  );
}

const notifyWords: Readonly<Record<NotifyState, string>> = {
  on: "This browser tells you when a session needs you, is done, or failed.",
  off: "Off on this device.",
  blocked:
    "This browser was told not to show them. Its own settings for this page can change that.",
  impossible:
    "Not to be had over plain http: a browser allows them only on https or on this machine itself.",
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

interface DeviceProps {
  readonly device: DeviceView;
  readonly now: number;
  readonly onRevoke: (id: string) => void;
}

function Device({ device, now, onRevoke }: DeviceProps) {
  const { id, name, current, lastSeenAt, createdAt } = device;
  return (
    <li className="flex min-h-14 items-center gap-3 py-1">
      <div className="min-w-0 flex-1">
        <p className="inert truncate font-medium">
          {visibleLine(name)}
          {current && <span className="font-normal text-quiet"> · this one</span>}
        </p>
        <p className="text-sm text-quiet">
          {lastSeenAt === null ? (
            "never seen"
          ) : (
            <>
              seen <Time at={lastSeenAt} now={now} />
            </>
          )}
          , let in <Time at={createdAt} now={now} />
        </p>
      </div>
      <Button look="quiet" className="text-lost" onClick={() => onRevoke(id)}>
        {current ? "Sign out" : "Lock out"}
      </Button>
    </li>
  );
}
