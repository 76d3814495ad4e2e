/** Ids: a prefix and a UUIDv7 in hex. Sortable by time; safe as file name, SSE id or SQL text. */

export const idPrefixes = {
  session: "sess",
  run: "run",
  message: "msg",
  token: "rt",
  boot: "boot",
  approval: "appr",
  wait: "wait",
  rule: "rule",
  checkpoint: "ckpt",
  sandbox: "sbx",
  holder: "hold",
  receipt: "rcpt",
} as const;

export type IdKind = keyof typeof idPrefixes;
export type Id<K extends IdKind> = `${(typeof idPrefixes)[K]}_${string}`;
export type SessionId = Id<"session">;
export type RunId = Id<"run">;

/** `random` holds at least 10 bytes. Both are arguments, so that an id can be made again. */
export function makeId<K extends IdKind>(kind: K, now: number, random: Uint8Array): Id<K> {
  const time = Math.floor(now).toString(16).padStart(12, "0").slice(-12);
  const bytes = Uint8Array.from(random.subarray(0, 10));
  bytes[0] = 0x70 | ((bytes[0] ?? 0) & 0x0f);
  bytes[2] = 0x80 | ((bytes[2] ?? 0) & 0x3f);
  let tail = "";
  for (const byte of bytes) tail += byte.toString(16).padStart(2, "0");
  return `${idPrefixes[kind]}_${time}${tail}`;
}

const patterns = Object.fromEntries(
  Object.entries(idPrefixes).map(([kind, prefix]) => [
    kind,
    new RegExp(`^${prefix}_[0-9a-f]{32}$`),
  ]),
) as Record<IdKind, RegExp>;

export function isId<K extends IdKind>(kind: K, value: unknown): value is Id<K> {
  return typeof value === "string" && patterns[kind].test(value);
}

/** Makes a fresh id; rules get it as an argument and stay pure. */
export type NewId = <K extends IdKind>(kind: K) => Id<K>;
