/** A picture by its first bytes, not its declared type: pixel formats that a browser can hold. */

import type { Json } from "@holdfast/protocol";

export interface Picture {
  readonly mime: string;
  readonly width: number;
  readonly height: number;
  readonly bytes: Uint8Array;
}

const MOST_BYTES = 10 * 1024 * 1024;
/** The size of an 8K screen. Each pixel takes four bytes when drawn. */
const MOST_PIXELS = 8192 * 5120;

/** The picture in a part of type `image`, or the reason why it cannot be shown. */
export function pictureOf({ data }: Readonly<Record<string, Json>>): Picture | string {
  if (typeof data !== "string") return "it has no data";
  if (data.length > (MOST_BYTES * 4) / 3) return "it is larger than 10 MB";
  const bytes = Buffer.from(data, "base64");
  const found = png(bytes) ?? gif(bytes) ?? jpeg(bytes) ?? webp(bytes);
  if (found === null) return "it is not a PNG, JPEG, GIF or WebP";
  const { width, height } = found;
  if (width < 1 || height < 1 || width * height > MOST_PIXELS) {
    return `it is ${width} × ${height} pixels`;
  }
  return { ...found, bytes };
}

type Head = Omit<Picture, "bytes"> | null;

function png(bytes: Buffer): Head {
  const isIt =
    bytes.length >= 24 && bytes.subarray(0, 8).toString("latin1") === "\x89PNG\r\n\x1a\n";
  if (!isIt || bytes.toString("latin1", 12, 16) !== "IHDR") return null;
  return { mime: "image/png", width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

function gif(bytes: Buffer): Head {
  if (bytes.length < 10 || !/^GIF8[79]a$/.test(bytes.toString("latin1", 0, 6))) return null;
  return { mime: "image/gif", width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
}

/** Reads the size from the first frame header, which follows segments of any length. */
function jpeg(bytes: Buffer): Head {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return null;
  for (let at = 2; at + 9 <= bytes.length; at += 2 + bytes.readUInt16BE(at + 2)) {
    if (bytes[at] !== 0xff) return null;
    const marker = bytes[at + 1] ?? 0;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (!isFrame) continue;
    const [height, width] = [bytes.readUInt16BE(at + 5), bytes.readUInt16BE(at + 7)];
    return { mime: "image/jpeg", width, height };
  }
  return null;
}

function webp(bytes: Buffer): Head {
  const isIt = bytes.length >= 30 && bytes.toString("latin1", 0, 4) === "RIFF";
  if (!isIt || bytes.toString("latin1", 8, 12) !== "WEBP") return null;
  const mime = "image/webp";
  switch (bytes.toString("latin1", 12, 16)) {
    case "VP8X":
      return { mime, width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    case "VP8L": {
      const bits = bytes.readUInt32LE(21);
      return { mime, width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 };
    }
    case "VP8 ":
      return {
        mime,
        width: bytes.readUInt16LE(26) & 0x3fff,
        height: bytes.readUInt16LE(28) & 0x3fff,
      };
    default:
      return null;
  }
}
