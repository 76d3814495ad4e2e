/** The system's own folders and files inside a sandbox. */

import { dirname, resolve } from "node:path";
import { isAtOrIn } from "./denied.ts";
import type { Disk } from "./disk.ts";
import type { Mount } from "./shape.ts";

const folders = ["/usr", "/opt", "/nix/store", "/home/linuxbrew/.linuxbrew"];

/** Links into /usr on a merged system, folders on others. */
const beside = ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"];

/** Of /etc only files that programs need to start and that hold no secret. */
const etc = [
  ...["alternatives", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "ld-musl-x86_64.path"],
  ...["ca-certificates", "ca-certificates.conf", "ssl/certs", "ssl/cert.pem", "ssl/openssl.cnf"],
  ...["pki/tls/certs", "pki/ca-trust", "crypto-policies", "static"],
  ...["nsswitch.conf", "host.conf", "gai.conf", "services", "protocols", "mime.types", "magic"],
  ...["localtime", "timezone", "terminfo", "inputrc", "os-release", "debian_version"],
  ...["fonts", "java", "java-17-openjdk", "java-21-openjdk", "python3", "perl"],
];

export function systemMounts(disk: Disk, network: "none" | "host"): Mount[] {
  const resolver = network === "host" ? ["resolv.conf"] : [];
  const files = [...etc, ...resolver].map((name) => `/etc/${name}`);
  return [
    ...[...folders, ...beside].flatMap((path) => asOnDisk(path, disk)),
    ...files.flatMap((path) => asOnDisk(path, disk)),
    { kind: "link", path: "/var/tmp", target: "/tmp" },
  ];
}

/** A link stays a link, because programs read its target; where it leads is shown, too. */
function asOnDisk(path: string, disk: Disk): Mount[] {
  const kind = disk.kind(path);
  if (kind === null) return [];
  if (kind !== "link") return [{ kind: "read", path, from: path }];
  const target = disk.target(path);
  const next = resolve(dirname(path), target);
  const link: Mount = { kind: "link", path, target };
  if (disk.real(path) === null) return [link];
  return folders.some((folder) => isAtOrIn(next, folder))
    ? [link]
    : [link, ...asOnDisk(next, disk)];
}

interface InsideUser {
  readonly user: string;
  readonly uid: number;
  readonly gid: number;
  readonly home: string;
}

export const hostname = "sandbox";

/** Files of our own, so that the machine's users and hosts stay unknown inside. */
export function ownFiles({ user, uid, gid, home }: InsideUser): Mount[] {
  const isRoot = uid === 0;
  const passwd = [
    `root:x:0:0:root:${isRoot ? home : "/"}:/bin/sh`,
    ...(isRoot ? [] : [`${user}:x:${uid}:${gid}::${home}:/bin/sh`]),
    "nobody:x:65534:65534:nobody:/:/bin/false",
  ];
  const group = ["root:x:0:", ...(gid === 0 ? [] : [`${user}:x:${gid}:`]), "nogroup:x:65534:"];
  const hosts = ["127.0.0.1 localhost", "::1 localhost", `127.0.0.1 ${hostname}`];
  const file = (path: string, lines: string[]): Mount => ({
    kind: "file",
    path,
    text: `${lines.join("\n")}\n`,
  });
  return [file("/etc/passwd", passwd), file("/etc/group", group), file("/etc/hosts", hosts)];
}
