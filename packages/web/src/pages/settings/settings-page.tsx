import { useHoldfast } from "@holdfast/client/react";
import { useState } from "react";
import { useLocation } from "wouter";
import { Settings } from "../../components/settings/settings.tsx";
import { askToNotify, notifyState, turnOff } from "../../settings/notify.ts";
import { applyTheme, readTheme, type Theme } from "../../settings/theme.ts";
import { forgetCredential } from "../../sign-in.ts";
import { localKeys } from "../../storage.ts";
import { PageFrame } from "../../ui/page-frame.tsx";
import { useAsked } from "../hooks/use-asked.ts";
import { useDoing } from "../hooks/use-doing.ts";
import { useNow } from "../hooks/use-now.ts";

interface SettingsPageProps {
  readonly onKeyboard: () => void;
  readonly onLink: () => void;
}

export default function SettingsPage({ onKeyboard, onLink }: SettingsPageProps) {
  const { client } = useHoldfast();
  const [, go] = useLocation();
  const [theme, setTheme] = useState(() => readTheme(localKeys()));
  const [notify, setNotify] = useState(() => notifyState(localKeys()));
  const [revoked, setRevoked] = useState(0);
  const doing = useDoing<"revoke">();
  const devices = useAsked("listDevices", { key: revoked });
  const health = useAsked("health");
  const choose = (chosen: Theme) => {
    applyTheme(chosen, localKeys(), document.documentElement);
    setTheme(chosen);
  };
  const switchNotify = async (isOn: boolean) => {
    if (isOn) await askToNotify(localKeys());
    else turnOff(localKeys());
    setNotify(notifyState(localKeys()));
  };
  const revoke = async (deviceId: string) => {
    const isDone = await doing.run("revoke", () =>
      client.call("revokeDevice", { params: { deviceId } }),
    );
    if (!isDone) return false;
    const isThis = devices?.devices.some(({ id, current }) => id === deviceId && current) ?? false;
    if (isThis) {
      forgetCredential(localKeys());
      location.assign("/");
    } else setRevoked((n) => n + 1);
    return true;
  };
  return (
    <PageFrame title="Settings" onBack={() => go("/")}>
      <Settings
        theme={theme}
        notify={notify}
        devices={devices?.devices ?? []}
        host={{ version: health?.version ?? "…", url: location.origin }}
        now={useNow()}
        onTheme={choose}
        onNotify={(isOn) => void switchNotify(isOn)}
        isRevoking={doing.busy === "revoke"}
        problem={doing.problem?.words ?? null}
        onRevoke={revoke}
        onSeen={doing.onSeen}
        onLink={onLink}
        onAgents={() => go("/agents")}
        onKeyboard={onKeyboard}
      />
    </PageFrame>
  );
}
