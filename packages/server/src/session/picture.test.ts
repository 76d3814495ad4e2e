import { describe, expect, test } from "vitest";
import { pictureOf } from "./picture.ts";

const image = (bytes: Buffer) => pictureOf({ type: "image", data: bytes.toString("base64") });
/** The first bytes of a PNG of this size. */
const png = (width: number, height: number) => {
  const head = Buffer.alloc(33);
  head.write("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "latin1");
  head.writeUInt32BE(width, 16);
  head.writeUInt32BE(height, 20);
  return head;
};
const riff = (kind: string, size: readonly number[]) =>
  Buffer.concat([
    Buffer.from(`RIFF\0\0\0\0WEBP${kind}\0\0\0\0`, "latin1"),
    Buffer.from(size),
    Buffer.alloc(20),
  ]);

describe("a picture", () => {
  test.each([
    ["image/png", png(640, 480)],
    ["image/gif", Buffer.from("GIF89a\x80\x02\xe0\x01\0\0\0", "latin1")],
    [
      "image/jpeg",
      Buffer.from(
        "\xff\xd8\xff\xe0\0\x04JF\xff\xc0\0\x11\x08\x01\xe0\x02\x80\x03\x01\x22\0\x02",
        "latin1",
      ),
    ],
    ["image/webp", riff("VP8X", [0, 0, 0, 0, 0x7f, 2, 0, 0xdf, 1, 0])],
    ["image/webp", riff("VP8 ", [0, 0, 0, 0x9d, 1, 0x2a, 0x80, 2, 0xe0, 1])],
    ["image/webp", riff("VP8L", [0x2f, 0x7f, 0xc2, 0x77, 0])],
  ])("is %s by its first bytes, with its size", (mime, bytes) => {
    expect(image(bytes)).toMatchObject({ mime, width: 640, height: 480 });
  });

  test.each([
    ["<svg xmlns='http://www.w3.org/2000/svg' onload='x()'/>", /not a PNG/],
    ["<!doctype html><script>x()</script>", /not a PNG/],
    ["", /not a PNG/],
    ["\xff\xd8\xff\xe0\0\0", /not a PNG/],
  ])("is never what %j is, whatever it calls itself [P41]", (text, why) => {
    expect(image(Buffer.from(text, "latin1"))).toEqual(expect.stringMatching(why));
  });

  test("that would fill a browser's memory is not shown [S15]", () => {
    expect(image(png(60_000, 60_000))).toBe("it is 60000 × 60000 pixels");
    expect(pictureOf({ type: "image", data: "A".repeat(15_000_000) })).toBe(
      "it is larger than 10 MB",
    );
    expect(pictureOf({ type: "image", data: null })).toBe("it has no data");
  });
});
