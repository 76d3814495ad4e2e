/** Finds comments that begin with a vague word, such as "What" or "Whoever". */

import { parseSync } from "vite";

/** The share of comments that may begin with a vague word. */
export const LIMIT = 0.02;

const vagueWord = /^(What|Whoever|Whatever|Where|Whether|How|Nobody|Nothing)\b/;

export function vagueComments(sources) {
  const all = sources.flatMap(({ path, text }) =>
    commentsOf(path, text).map((comment) => ({ path, ...comment })),
  );
  const vague = all.filter(({ text }) => vagueWord.test(text));
  return { comments: all.length, vague, isRefused: vague.length > LIMIT * all.length };
}

/** Returns the first line of each comment; consecutive `//` lines are one comment. */
export function commentsOf(path, source) {
  const found = [];
  let before = null;
  for (const comment of parseSync(path, source).comments) {
    const gap = source.slice(before?.end ?? 0, comment.start);
    const continues =
      before?.type === "Line" && comment.type === "Line" && /^[ \t]*\r?\n[ \t]*$/.test(gap);
    if (!continues) {
      const line = source.slice(0, comment.start).split("\n").length;
      found.push({ line, text: firstLine(comment.value) });
    }
    before = comment;
  }
  return found.filter(({ text }) => text !== "");
}

function firstLine(value) {
  return value
    .replace(/^[*/\s]+/, "")
    .split("\n", 1)[0]
    .trimEnd();
}
