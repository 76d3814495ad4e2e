/**
 * The paths that no sandbox shows: keys, credentials, browser profiles, shell histories, and the
 * host's own data. A bind is refused when it leads to one of them, contains one or lies in one.
 */

import { isAbsolute, join, relative } from "node:path";
import type { Disk } from "./disk.ts";

const belowHome = [
  // Keys and key stores.
  ...[".ssh", ".gnupg", ".pki", ".password-store", ".age", ".config/age", ".config/sops"],
  ...[".local/share/keyrings", ".local/share/kwalletd", ".config/op", ".config/1Password"],
  // Clouds, clusters, containers.
  ...[
    ".aws",
    ".azure",
    ".kube",
    ".docker",
    ".oci",
    ".config/gcloud",
    ".config/doctl",
    ".terraform.d",
  ],
  ...[".config/containers", ".config/rclone", ".vault-token"],
  // Forges, registries, databases.
  ...[".netrc", ".npmrc", ".yarnrc.yml", ".pypirc", ".git-credentials", ".config/git/credentials"],
  ...[".config/gh", ".config/glab-cli", ".config/hub", ".cargo/credentials"],
  ...[".cargo/credentials.toml", ".gem/credentials", ".m2/settings.xml", ".pgpass", ".my.cnf"],
  ...[".gradle/gradle.properties", ".composer/auth.json", ".config/composer/auth.json"],
  // Logins of agents: a session gets a copy of its own.
  ...[".claude/.credentials.json", ".claude.json", ".codex/auth.json", ".gemini/oauth_creds.json"],
  ".local/share/opencode/auth.json",
  // Browsers and mail.
  ...[".mozilla", ".thunderbird", ".config/google-chrome", ".config/chromium", ".config/vivaldi"],
  ...[".config/BraveSoftware", ".config/microsoft-edge", ".config/opera", "snap", ".var/app"],
  // Shell histories.
  ...[".bash_history", ".zsh_history", ".zhistory", ".histfile", ".local/share/fish", ".viminfo"],
  ...[".python_history", ".node_repl_history", ".psql_history", ".mysql_history", ".lesshst"],
  ".holdfast",
];

const ofTheMachine = [
  ...["/proc", "/sys", "/dev", "/boot", "/etc/shadow", "/etc/gshadow", "/etc/sudoers"],
  ...["/etc/ssh", "/etc/ssl/private", "/run/user", "/run/docker.sock", "/var/run/docker.sock"],
  ...["/run/containerd", "/run/podman", "/run/dbus", "/var/lib/docker"],
];

/** Every denied path, and the place it leads to when it is a link. */
export function deniedPaths(home: string, data: string, disk: Disk): string[] {
  const named = [...belowHome.map((path) => join(home, path)), ...ofTheMachine, data];
  return [...new Set(named.flatMap((path) => [path, disk.real(path) ?? path]))];
}

/** The denied path that showing `path` would show, or null. */
export function deniedBy(path: string, denied: readonly string[], disk: Disk): string | null {
  const ends = new Set([path, disk.real(path) ?? path]);
  return (
    denied.find((one) => [...ends].some((end) => isAtOrIn(one, end) || isAtOrIn(end, one))) ?? null
  );
}

/** Compares the strings alone: both must be absolute and normal. */
export function isAtOrIn(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith("../") && !isAbsolute(way);
}
