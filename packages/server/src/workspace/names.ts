/** File names as bytes, which may be invalid UTF-8. Such a name is shown in quotes, as git does. */

import { isUtf8 } from "node:buffer";

export interface Names {
  readonly readable: string[];
  /** In quotes, with octal escapes: for people to read, and never used as a path. */
  readonly quoted: string[];
}

export function namesOf(all: readonly Buffer[]): Names {
  return {
    readable: all.filter((name) => isUtf8(name)).map(String),
    quoted: all.filter((name) => !isUtf8(name)).map(quoted),
  };
}

export function quoted(name: Buffer): string {
  const letters = Array.from(name, (byte) => {
    if (byte === 0x22 || byte === 0x5c) return `\\${String.fromCharCode(byte)}`;
    const isPlain = byte >= 0x20 && byte < 0x7f;
    return isPlain ? String.fromCharCode(byte) : `\\${byte.toString(8).padStart(3, "0")}`;
  });
  return `"${letters.join("")}"`;
}
