/** Refuses network file systems: SQLite cannot rely on their locks and syncs. */

import { readFileSync, realpathSync, statfsSync } from "node:fs";
import { HostError } from "@holdfast/protocol/errors";

/** `f_type` of statfs(2) on Linux. */
const networkTypes = new Map<number, string>([
  [0x6969, "NFS"],
  [0x517b, "SMB"],
  [0xfe534d42, "SMB2"],
  [0xff534d42, "CIFS"],
  [0x01021997, "9p"],
  [0x5346414f, "AFS"],
  [0x00c36400, "Ceph"],
]);

const fuse = 0x65735546;
const networkFuse = /^fuse\.(sshfs|rclone|s3fs|gcsfuse|goofys|glusterfs|davfs)/;

export function refuseNetwork(dir: string): void {
  const type = statfsSync(dir).type >>> 0;
  const name = networkTypes.get(type) ?? (type === fuse ? networkFuseType(dir) : undefined);
  if (name === undefined) return;
  throw new HostError(
    "data_on_network",
    `${dir} is on a network file system (${name}), which can lose data. Choose a local directory.`,
    { dir, fileSystem: name },
  );
}

/** Many FUSE file systems are local; only the mount table tells which kind this is. */
function networkFuseType(dir: string): string | undefined {
  const path = realpathSync(dir);
  const mounts = readFileSync("/proc/self/mountinfo", "utf8").trim().split("\n").map(parseMount);
  const under = mounts.filter(
    ({ at }) => path === at || path.startsWith(at === "/" ? at : `${at}/`),
  );
  const type = under.sort((a, b) => b.at.length - a.at.length)[0]?.type;
  return type !== undefined && networkFuse.test(type) ? type : undefined;
}

function parseMount(line: string): { at: string; type: string } {
  const fields = line.split(" ");
  const at = (fields[4] ?? "").replace(/\\(\d{3})/g, (_, octal) =>
    String.fromCharCode(Number.parseInt(octal, 8)),
  );
  return { at, type: fields[fields.indexOf("-") + 1] ?? "" };
}
