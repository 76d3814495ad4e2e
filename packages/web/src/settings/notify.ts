/** Whether this browser may tell its person that a session needs them. */

export type NotifyState = "on" | "off" | "blocked" | "impossible";

const KEY = "holdfast.notify";

export function notifyState(storage: Pick<Storage, "getItem"> | null): NotifyState {
  if (!isSecureContext || typeof Notification === "undefined") return "impossible";
  if (Notification.permission === "denied") return "blocked";
  return Notification.permission === "granted" && storage?.getItem(KEY) === "on" ? "on" : "off";
}

export async function askToNotify(storage: Pick<Storage, "setItem"> | null): Promise<void> {
  if ((await Notification.requestPermission()) === "granted") storage?.setItem(KEY, "on");
}

export function turnOff(storage: Pick<Storage, "removeItem"> | null): void {
  storage?.removeItem(KEY);
}
