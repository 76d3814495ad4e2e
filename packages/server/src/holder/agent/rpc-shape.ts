/**
 * Classifies an agent's line from its bytes without parsing it: framing must not cost the memory
 * and time of a parse, and the bytes are passed on unchanged.
 *
 * It accepts exactly the objects that `JSON.parse` accepts, because the host parses the bytes
 * inside a frame; only nesting is limited, because later code walks it recursively.
 */

export type RpcShape =
  | { readonly kind: "noise" }
  | { readonly kind: "notification" }
  /** The id's position in the bytes, so that it can be repeated exactly. */
  | { readonly kind: "request" | "response"; readonly idFrom: number; readonly idTo: number };

export const maxNesting = 512;

const noise: RpcShape = { kind: "noise" };
const notification: RpcShape = { kind: "notification" };

const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const DOT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/** Each function below returns the offset after the part it read, or this value. */
const BAD = -1;

export function rpcShape(bytes: Uint8Array, from: number, to: number): RpcShape {
  let at = skipSpace(bytes, from, to);
  if (at >= to || bytes[at] !== OPEN) return noise;
  at = skipSpace(bytes, at + 1, to);
  let idFrom = BAD;
  let idTo = BAD;
  let isCall = false;
  if (at < to && bytes[at] === CLOSE) return isAllSpace(bytes, at + 1, to) ? notification : noise;
  while (at < to) {
    const keyFrom = at;
    const keyTo = skipString(bytes, at, to);
    const valueFrom = keyTo === BAD ? BAD : skipColon(bytes, keyTo, to);
    const valueTo = valueFrom === BAD ? BAD : skipValue(bytes, valueFrom, to);
    if (valueTo === BAD) return noise;
    const key = rpcKey(bytes, keyFrom, keyTo);
    if (key === "id") {
      idFrom = valueFrom;
      idTo = valueTo;
    } else if (key === "method") {
      isCall = bytes[valueFrom] === QUOTE;
    }
    at = skipSpace(bytes, valueTo, to);
    if (at >= to) return noise;
    if (bytes[at] === CLOSE) {
      if (!isAllSpace(bytes, at + 1, to)) return noise;
      if (idFrom === BAD) return notification;
      return { kind: isCall ? "request" : "response", idFrom, idTo };
    }
    if (bytes[at] !== COMMA) return noise;
    at = skipSpace(bytes, at + 1, to);
  }
  return noise;
}

/** Runs for every outer key of every line, so it builds a string only for an escaped key. */
function rpcKey(bytes: Uint8Array, from: number, to: number): "id" | "method" | null {
  if (isWord(bytes, from + 1, to - 1, "id")) return "id";
  if (isWord(bytes, from + 1, to - 1, "method")) return "method";
  if (!hasEscape(bytes, from, to)) return null;
  const key = JSON.parse(Buffer.from(bytes.subarray(from, to)).toString()) as string;
  return key === "id" || key === "method" ? key : null;
}

function hasEscape(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (bytes[at] === BACKSLASH) return true;
  return false;
}

function isWord(bytes: Uint8Array, from: number, to: number, word: string): boolean {
  return to - from === word.length && skipWord(bytes, from, to, word) === to;
}

/** The closing byte of each open container. Scanning is synchronous, so one stack is enough. */
const closers = new Uint8Array(maxNesting);

/** Skips one value of any kind, iteratively, so that an agent cannot overflow our stack. */
function skipValue(bytes: Uint8Array, from: number, to: number): number {
  let depth = 0;
  let at = from;
  for (;;) {
    const opener = bytes[at];
    if (opener === OPEN || opener === OPEN_LIST) {
      if (depth === maxNesting) return BAD;
      const closer = opener === OPEN ? CLOSE : CLOSE_LIST;
      closers[depth++] = closer;
      at = skipSpace(bytes, at + 1, to);
      if (at >= to) return BAD;
      if (bytes[at] !== closer) {
        at = closer === CLOSE ? skipKey(bytes, at, to) : at;
        if (at === BAD) return BAD;
        continue;
      }
    } else {
      at = skipScalar(bytes, at, to);
      if (at === BAD || depth === 0) return at;
      at = skipSpace(bytes, at, to);
    }
    while (at < to && bytes[at] === closers[depth - 1]) {
      if (--depth === 0) return at + 1;
      at = skipSpace(bytes, at + 1, to);
    }
    if (at >= to || bytes[at] !== COMMA) return BAD;
    at = skipSpace(bytes, at + 1, to);
    if (closers[depth - 1] === CLOSE) at = skipKey(bytes, at, to);
    if (at === BAD || at >= to) return BAD;
  }
}

function skipKey(bytes: Uint8Array, from: number, to: number): number {
  const end = skipString(bytes, from, to);
  return end === BAD ? BAD : skipColon(bytes, end, to);
}

function skipColon(bytes: Uint8Array, from: number, to: number): number {
  const at = skipSpace(bytes, from, to);
  if (at >= to || bytes[at] !== COLON) return BAD;
  const next = skipSpace(bytes, at + 1, to);
  return next < to ? next : BAD;
}

function skipScalar(bytes: Uint8Array, from: number, to: number): number {
  switch (bytes[from]) {
    case QUOTE:
      return skipString(bytes, from, to);
    case 0x74:
      return skipWord(bytes, from, to, "true");
    case 0x66:
      return skipWord(bytes, from, to, "false");
    case 0x6e:
      return skipWord(bytes, from, to, "null");
    default:
      return skipNumber(bytes, from, to);
  }
}

function skipWord(bytes: Uint8Array, from: number, to: number, word: string): number {
  if (from + word.length > to) return BAD;
  for (let i = 0; i < word.length; i++) if (bytes[from + i] !== word.charCodeAt(i)) return BAD;
  return from + word.length;
}

function skipString(bytes: Uint8Array, from: number, to: number): number {
  if (from >= to || bytes[from] !== QUOTE) return BAD;
  for (let at = from + 1; at < to; at++) {
    const byte = bytes[at] as number;
    if (byte === QUOTE) return at + 1;
    if (byte < 0x20) return BAD;
    if (byte === BACKSLASH) {
      at = skipEscape(bytes, at + 1, to);
      if (at === BAD) return BAD;
    }
  }
  return BAD;
}

/** Reads from after the backslash to the last byte of the escape. */
function skipEscape(bytes: Uint8Array, from: number, to: number): number {
  if (from >= to) return BAD;
  switch (bytes[from]) {
    case QUOTE:
    case BACKSLASH:
    case 0x2f:
    case 0x62:
    case 0x66:
    case 0x6e:
    case 0x72:
    case 0x74:
      return from;
    case 0x75: {
      if (from + 4 >= to) return BAD;
      for (let i = 1; i <= 4; i++) if (!isHex(bytes[from + i] as number)) return BAD;
      return from + 4;
    }
    default:
      return BAD;
  }
}

function skipNumber(bytes: Uint8Array, from: number, to: number): number {
  let at = bytes[from] === MINUS ? from + 1 : from;
  const whole = skipDigits(bytes, at, to);
  if (whole === at || (bytes[at] === ZERO && whole > at + 1)) return BAD;
  at = whole;
  if (at < to && bytes[at] === DOT) {
    const fraction = skipDigits(bytes, at + 1, to);
    if (fraction === at + 1) return BAD;
    at = fraction;
  }
  if (at < to && (bytes[at] === 0x65 || bytes[at] === 0x45)) {
    const sign = bytes[at + 1];
    const digits = sign === 0x2b || sign === MINUS ? at + 2 : at + 1;
    const exponent = skipDigits(bytes, digits, to);
    if (exponent <= digits) return BAD;
    at = exponent;
  }
  return at;
}

function skipDigits(bytes: Uint8Array, from: number, to: number): number {
  let at = from;
  while (at < to && (bytes[at] as number) >= ZERO && (bytes[at] as number) <= NINE) at++;
  return at;
}

function isHex(byte: number): boolean {
  const lower = byte | 0x20;
  return (byte >= ZERO && byte <= NINE) || (lower >= 0x61 && lower <= 0x66);
}

function skipSpace(bytes: Uint8Array, from: number, to: number): number {
  let at = from;
  while (at < to) {
    const byte = bytes[at];
    if (byte !== 0x20 && byte !== 0x0d && byte !== 0x09 && byte !== 0x0a) break;
    at++;
  }
  return at;
}

function isAllSpace(bytes: Uint8Array, from: number, to: number): boolean {
  return skipSpace(bytes, from, to) === to;
}
