/** Judges why bubblewrap does not hold here, by its own words and the machine's settings. */

export type ProbeReason =
  | "not_linux"
  | "not_installed"
  | "namespaces_off"
  | "apparmor"
  | "container"
  | "leaks"
  | "unknown";

export interface Probe {
  readonly holds: boolean;
  readonly reason: ProbeReason | null;
  /** Bubblewrap's own words, or its version when it holds. */
  readonly words: string;
  /** The command to type, with the reason for it; empty when it holds. */
  readonly advice: string;
}

/** Settings of the kernel as the files have them; null where there is no such file. */
export interface KernelSettings {
  readonly maxUserNamespaces: string | null;
  readonly unprivilegedClone: string | null;
  readonly apparmorRestricts: string | null;
}

const advice: Readonly<Record<ProbeReason, string>> = {
  not_linux: "Sandboxes need Linux.",
  not_installed:
    "Install it: sudo apt install bubblewrap (Fedora: sudo dnf install bubblewrap; Arch: sudo pacman -S bubblewrap). Only /usr/bin/bwrap is used.",
  namespaces_off: "",
  apparmor:
    "AppArmor keeps bubblewrap from making namespaces. Once: sudo apt install apparmor-profiles && sudo install -m 644 /usr/share/apparmor/extra-profiles/bwrap-userns-restrict /etc/apparmor.d/ && sudo apparmor_parser -r /etc/apparmor.d/bwrap-userns-restrict",
  container:
    "This host seems to run in a container, which is then the only boundary. To allow sandboxes inside, start it with: --security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined",
  leaks: "The boundary does not hold on this machine, so it is not used.",
  unknown: "Bubblewrap does not work here, and these are its own words.",
};

const setTo = (setting: string) =>
  `The kernel does not let bubblewrap make user namespaces. Once: echo ${setting} | sudo tee /etc/sysctl.d/60-user-namespaces.conf && sudo sysctl --system`;

const byAppArmor = /setting up uid map: Permission denied|loopback: Failed RTM_NEW|No permissions/i;
const byContainer =
  /No permissions to creat|Creating new namespace failed|Can't mount proc|Failed to make \/ slave|pivot_root|Failed RTM_NEW|Operation not permitted/i;

export function failedProbe(reason: ProbeReason, words: string): Probe {
  return { holds: false, reason, words, advice: advice[reason] };
}

export function judgeWords(words: string, settings: KernelSettings): Probe {
  const { maxUserNamespaces, unprivilegedClone, apparmorRestricts } = settings;
  const off = (setting: string): Probe => ({
    ...failedProbe("namespaces_off", words),
    advice: setTo(setting),
  });
  if (maxUserNamespaces === "0") return off("user.max_user_namespaces=15000");
  if (unprivilegedClone === "0") return off("kernel.unprivileged_userns_clone=1");
  if (apparmorRestricts === "1" && byAppArmor.test(words)) return failedProbe("apparmor", words);
  return failedProbe(byContainer.test(words) ? "container" : "unknown", words);
}

/** A program's look at its own boundary. */
export interface InsideView {
  readonly uid: number;
  readonly processes: number;
  readonly interfaces: readonly string[];
  readonly canWriteSettings: boolean;
  /** Null where the program that tries it is not there. */
  readonly canMakeUserNamespaces: boolean | null;
  readonly seesOutside: boolean;
  readonly listens: boolean;
}

/** The part of the boundary that does not hold, in words; null when all holds. */
export function leakIn(view: InsideView, uid: number): string | null {
  const leaks = [
    view.uid === uid ? null : `it runs as user ${view.uid}`,
    // Bubblewrap's own first process, the program and its test.
    view.processes <= 4 ? null : `it sees ${view.processes} processes`,
    view.interfaces.every((name) => name === "lo") ? null : "it has the machine's network",
    view.listens ? null : "it cannot listen on a port of its own",
    view.canWriteSettings ? "it can write /proc/sys" : null,
    view.canMakeUserNamespaces ? "it can make user namespaces" : null,
    view.canMakeUserNamespaces === null ? "it has no unshare to try user namespaces with" : null,
    view.seesOutside ? "it sees files of the host" : null,
  ].filter((leak) => leak !== null);
  return leaks.length === 0 ? null : leaks.join(", ");
}
