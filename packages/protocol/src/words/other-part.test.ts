import { expect, test } from "vitest";
import { otherPartWords, wholePartText } from "./other-part.ts";

const long = (preview: string) => otherPartWords({ type: "blob", preview });

test("a long text is told by its beginning, up to its last complete character", () => {
  const begun = '{"type":"text","text":"It says \\"hi\\",\\nthen';
  const cut = "\n… 9 more characters";
  expect(long(begun + cut)).toBe('It says "hi",\nthen…');
  for (const half of ["\\", "\\u00"]) expect(long(begun + half + cut)).toBe('It says "hi",\nthen…');
});

test("long content of another kind is told as such", () => {
  for (const preview of ['{"type":"content","content":{', "", '{"type":"text","text":"\\x"'])
    expect(long(preview)).toBe("content too long to show here");
});

test("a whole stored text or thinking is its text, and other content is shown as it is stored", () => {
  for (const type of ["text", "thinking"])
    expect(wholePartText(JSON.stringify({ type, text: 'It says "hi"' }))).toBe('It says "hi"');
  for (const other of [
    '{"type":"diff","text":"a"}',
    '{"type":"text"}',
    '{"type":"text","text":"',
    "plain",
  ])
    expect(wholePartText(other)).toBe(other);
});
