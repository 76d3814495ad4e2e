/** The permission for notifications about sessions that need their person, and their display. */

export type NotifyState = "on" | "off" | "blocked" | "insecure" | "missing" | "unusable";

type Keys = Pick<Storage, "getItem" | "setItem" | "removeItem">;

const KEY = "holdfast.notify";

export function notifyState(storage: Pick<Storage, "getItem"> | null): NotifyState {
  if (!isSecureContext) return "insecure";
  if (typeof Notification === "undefined") return "missing";
  if (Notification.permission === "denied") return "blocked";
  const kept = storage?.getItem(KEY);
  if (kept === "unusable") return "unusable";
  return Notification.permission === "granted" && kept === "on" ? "on" : "off";
}

/** Shows a first notification: if that fails, later ones would not appear either. */
export async function askToNotify(storage: Keys | null): Promise<void> {
  if ((await Notification.requestPermission()) !== "granted") return;
  const isShown = await notify("Notifications are on", "Sessions that need you will show up here.");
  storage?.setItem(KEY, isShown ? "on" : "unusable");
}

export function turnOff(storage: Pick<Storage, "removeItem"> | null): void {
  storage?.removeItem(KEY);
}

/** False when this browser shows none; the constructor throws on Android. */
export async function notify(
  title: string,
  body: string,
  { tag = "", onClick = () => undefined }: { tag?: string; onClick?: () => void } = {},
): Promise<boolean> {
  const options = { body, ...(tag === "" ? {} : { tag }) };
  try {
    const notice = new Notification(title, options);
    notice.onclick = onClick;
    return true;
  } catch {
    try {
      const registration = await navigator.serviceWorker?.getRegistration();
      await registration?.showNotification(title, options);
      return registration !== undefined;
    } catch {
      return false;
    }
  }
}
