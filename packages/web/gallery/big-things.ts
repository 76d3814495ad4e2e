/**
 * States with large and unusual content: edits, tables, pictures, right-to-left text, terminal
 * output.
 */

import type { Event } from "@holdfast/protocol";
import * as f from "./fixtures.ts";

const hash = "c".repeat(64);

/** One changed line in a file of 420 lines, as compared by the host. */
export const longEdit = f.part({
  type: "blob",
  preview: "",
  hash,
  bytes: 35_612,
  diff: {
    path: "src/long.ts",
    toolCallId: "b1",
    isNew: false,
    added: 1,
    removed: 1,
    patch: `@@ -198,7 +198,7 @@\n${[198, 199, 200].map((n) => `   case ${n}: return ${n};\n`).join("")}-  case 201: return old;\n+  case 201: return fresh;\n${[202, 203, 204].map((n) => `   case ${n}: return ${n};\n`).join("")}`,
    truncated: false,
  },
});
/** An edit from an earlier host, which did not compare the texts. */
export const earlierEdit = f.part({
  type: "blob",
  hash,
  bytes: 35_612,
  preview: '{"type":"diff","path":"src/earlier.ts","oldText":"…',
});

const columns = Array.from({ length: 14 }, (_, n) => n + 1);
export const wideTableText = `Measured on all of them:

| ${columns.map((n) => `Column ${n}`).join(" | ")} |
| ${columns.map(() => "---").join(" | ")} |
${["Medium", "Large"].map((size) => `| ${columns.map((n) => `${size} value ${n}`).join(" | ")} |`).join("\n")}

A table that fits stays as it is:

| Size | Time | Memory | Note |
|---|---|---|---|
| Medium | 12 ms | 48 MB | as before |
`;

export const arabic = `تم إصلاح الخطأ في ملف \`auth.ts\`، وكل الاختبارات ناجحة.

- تدوير المفاتيح يعمل الآن
- الرموز القديمة مقبولة لمدة ساعة

> ملاحظة: لم يُنشر شيء بعد.

And English follows from the left, as it should.`;

export const picture = f.part({
  type: "image",
  toolCallId: "b2",
  mime: "image/png",
  width: 640,
  height: 360,
  hash,
  bytes: 9321,
});

const bar = Array.from({ length: 20 }, (_, n) => `\rfetching ${"#".repeat(n)} ${n * 5} %`).join("");
export const terminalText = `$ npm test
${bar}\r\u001b[2Kfetched 212 packages

\u001b[1m\u001b[32m ✓ \u001b[39m\u001b[22mrotation \u001b[90m(14 tests) 212 ms\u001b[0m
\u001b[31m ✗ refresh > keeps an old token for an hour\u001b[0m
   expected \u001b[32m3600\u001b[0m, got \u001b[31m0\u001b[0m
\u001b[7m FAIL \u001b[0m 1 of 15
`;

/** A day of work, with more knots than fit on ten screens. */
export const longTimeline: readonly Event[] = f.journal(
  [900, f.asked("Go through every module.")],
  [899, f.started()],
  ...Array.from(
    { length: 300 },
    (_, n) => [800 - n, f.tool(`l${n}`, "Read", { path: `src/module-${n}.ts` })] as const,
  ),
  [2, f.done],
);
