/** One line for each other part of a message. Agents write them: any field may be missing. */

import { editSize, type Json, otherPartWords, shortLine } from "@holdfast/protocol";

const LINE = 200;

type Part = Readonly<Record<string, Json>>;

export function partLine(part: Part): string {
  if (part.type === "plan") return planLine(part);
  if (part.type === "diff") return diffLine(part);
  return longDiffLine(part) ?? shortLine(otherPartWords(part), LINE);
}

const stepMarks: Readonly<Record<string, string>> = { completed: "✓ ", in_progress: "▸ " };

function planLine({ entries }: Part): string {
  const steps = (Array.isArray(entries) ? entries : []).map((entry) => {
    const { content, status } = entry as Part;
    return (stepMarks[textOf(status)] ?? "") + textOf(content);
  });
  return `plan: ${steps.join(" · ")}`;
}

/** An edit whose texts are too long for an event, so the host compared them. */
function longDiffLine({ type, diff }: Part): string | null {
  if (type !== "blob" || diff === null || typeof diff !== "object") return null;
  const { path, added, removed } = diff as Part;
  const file = textOf(path).split("/").at(-1) ?? "";
  return `± ${file}  +${Number(added) || 0} −${Number(removed) || 0}`;
}

function diffLine({ path, oldText, newText }: Part): string {
  const file = textOf(path).split("/").at(-1) ?? "";
  const { plus, minus } = editSize(textOf(oldText), textOf(newText));
  return `± ${file}  +${plus} −${minus}`;
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}
