/** Attack strings as scanners use them in place of ids, already encoded for a path. */

const dots = ["..", "%2e%2e", "%2E%2E", ".%2e", "%2e.", ".", "%2e", "...", "....", "%252e%252e"];
const unicodeDots = ["\u2024\u2024", "\u2025", "\uff0e\uff0e", "\u3002\u3002", "\u00b7\u00b7"];
const overlong = ["%c0%ae%c0%ae", "%e0%80%ae", "%c0%2e", "%f0%80%80%ae", "%uff0e%uff0e", "%u002e"];
const slashes = ["%2f", "%5c", "%255c", "%252f", "%c0%af", "%ef%bc%8f", "%e2%88%95", "%5c%5c"];
const files = ["etc%2fpasswd", "token", "journal.db", "credentials", "proc%2fself%2fenviron"];
const prefixes = ["", "sess_", "run_", "msg_", "appr_", "rule_", "dev_", "key_"];
const right = "00000000000070008000000000000000";

const climbs = slashes.flatMap((slash) =>
  files.flatMap((file) => [`..${slash}..${slash}${file}`, `%2e%2e${slash}${file}`]),
);

/** Every spelling of two dots with every spelling of a slash. */
const steps = [...dots.slice(0, 5), ...overlong, "%252e%252e", "%ef%bc%8e%ef%bc%8e"].flatMap(
  (dot) => slashes.flatMap((slash) => [`${dot}${slash}token`, `x${slash}${dot}${slash}${dot}`]),
);

const controls = [
  "%00",
  "%01",
  "%09",
  "%0a",
  "%0d",
  "%0d%0a",
  "%1b%5b2J",
  "%7f",
  "%85",
  "%ff",
  "%fe",
];
const lines = ["%e2%80%a8", "%e2%80%a9", "%ef%bb%bf", "%e2%80%ae", "%e2%80%8b", "%ed%a0%80", "%"];
const names = [
  ...["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "valueOf"],
  ...["__defineGetter__", "null", "undefined", "NaN", "true", "[object%20Object]", "Infinity"],
];
const sql = [
  ...["'", "%22", "%60", "''", "'%20or%20'1'='1", "'--", "';drop%20table%20events;--", "%25", "_"],
  ...[
    "'%20union%20select%201--",
    "1%20or%201=1",
    "x'%3battach%20'a'%20as%20b;--",
    "%3f",
    "$1",
    ":1",
  ],
];
const shell = [
  "$(id)",
  "%60id%60",
  "%7cid",
  ";id",
  "&id",
  "%0aid",
  "$%7bIFS%7d",
  "%3e%2ftmp%2fx",
  "*",
  "~",
];
const places = [
  ...[
    "file:%2f%2f%2fetc%2fpasswd",
    "http:%2f%2f127.0.0.1",
    "%2f%2fevil.test",
    "C:%5cwindows",
    "CON",
    "NUL",
  ],
  ...[
    "%2fdev%2fstdin",
    "%2fproc%2fself%2fmem",
    "%2fdev%2ffd%2f0",
    ".git",
    ".env",
    "%5c%5c.%5cpipe",
  ],
];
const formats = [
  "%25s%25n",
  "%7b%7b7*7%7d%7d",
  "$%7b7*7%7d",
  "%3cscript%3e",
  "%7b%22$ne%22:1%7d",
  "[]",
  "{}",
];
const numbers = [
  "-1",
  "0",
  "1e9",
  "0x10",
  "99999999999999999999",
  "-0",
  "1.5",
  "%c2%b2",
  "%d9%a1",
  "1%00",
];
const long = [
  "a".repeat(4096),
  `sess_${"0".repeat(4096)}`,
  "%2e%2e%2f".repeat(455),
  "%00".repeat(1365),
  "%f0%9f%92%a9".repeat(300),
];

/** Almost valid ids, each with one mistake. */
const nearly = prefixes
  .filter((prefix) => prefix !== "")
  .flatMap((prefix) => [
    `${prefix}${right.slice(1)}`,
    `${prefix}${right}0`,
    `${prefix}${right.slice(1)}G`,
    `${prefix}${right}%00`,
    `${prefix}${right}%0a`,
    `${prefix}${right}%20`,
    `%20${prefix}${right}`,
    `${prefix}${right}%2f..`,
    `..%2f${prefix}${right}`,
    `${prefix}${right}.db`,
    `${prefix}${right};x=1`,
    `${prefix.toUpperCase()}${right}`,
    `${prefix}${"ABCDEF".padEnd(32, "A")}`,
    `${prefix}${right.slice(0, 28)}%ef%bc%91000`,
    `${prefix}%2e%2e%2f${right.slice(3)}`,
    `${prefix}__proto__`,
  ]);

const encoded = unicodeDots.map((text) => encodeURIComponent(text));

export const payloads: readonly string[] = [
  ...new Set([
    ...[dots, encoded, overlong, slashes, climbs, steps, controls, lines, names, sql, shell].flat(),
    ...[places, formats, numbers, long, nearly].flat(),
    ...prefixes.flatMap((prefix) => dots.slice(0, 5).map((dot) => `${prefix}${dot}%2f${dot}`)),
  ]),
];
