import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { onLines } from "./socket.ts";

test("a line is decoded correctly wherever its bytes are split", () => {
  const line = "first naïve 日本語 🧵 …";
  const bytes = Buffer.from(`${line}\n`);
  for (let cut = 1; cut < bytes.length; cut++) {
    const stream = new PassThrough();
    const heard: string[] = [];
    onLines(stream, (each) => heard.push(each));
    stream.write(bytes.subarray(0, cut));
    stream.write(bytes.subarray(cut));
    while (stream.read() !== null);
    expect(heard, `cut at ${cut}`).toEqual([line]);
  }
});
