/** Hostile strings that a workspace, a model or a web page may contain to control a terminal. */

const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => String.fromCodePoint(from + i));

const ESC = "\u001b";
const sequences = [
  ...["[2J", "[H", "[5A", "[31m", "[0m", "[?1049h", "[?25l", "[6n", "[c", "[20t", "[8m", "[?2004h"],
  ...["]0;title\u0007", `]2;title${"\u001b\\"}`, "]8;;http://evil.test\u0007click\u001b]8;;\u0007"],
  ...["]52;c;cm0gLXJmIC8=\u0007", "]1337;File=:AAAA\u0007", "]133;C\u0007", "]4;1;rgb:0/0/0\u0007"],
  ...["P1$r0m\u001b\\", "_apc\u001b\\", "^pm\u001b\\", "Xsos\u001b\\", "c", "7", "8", "(0", "#8"],
].map((rest) => ESC + rest);

const letters = [
  ...range(0x00, 0x08),
  ...range(0x0b, 0x1f),
  ...range(0x7f, 0x9f),
  ..."\u00ad\u061c\u180e\u200b\u200e\u200f\u2028\u2029\ufeff\ufff9\ufffa\ufffb".split(""),
  ...range(0x202a, 0x202e),
  ...range(0x2060, 0x206f),
  "\u{e0001}",
  "\u{e0041}",
  "\u{e0100}",
  "\u3164",
  "\ud800",
  "\udc00",
];

export const hostile: readonly string[] = [
  ...sequences,
  ...letters.map((letter) => `a${letter}b`),
  "\u009b2J",
  "\u009d0;title\u009c",
  "\u202egnp.exe",
  "a\r\nholdfast: stopped",
  "a\n? needs you: Run a command\n    $ ls",
  "\u001b\n\u001b[2K\u001b[1A",
];

/**
 * True when the text has characters that a terminal interprets or hides. Line breaks and tabs are
 * left to the caller.
 */
export const isRaw = (text: string): boolean =>
  /(?!\n|\t|\u200c|\u200d|\ufe0e|\ufe0f)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{DI}]/u.test(text);
