/** The report about an agent: a line for people, and a list of problems. */

import type { Pin } from "./pins.ts";
import type { Findings } from "./smoke.ts";

export const columns = [
  ...["agent", "version", "start ms", "new ms", "restart ms", "load ms"],
  ...["permission asked", "context restored"],
] as const;

/** Behaviours that Holdfast needs and the agent lacks. */
export function problemsOf({ permissionAsked, fileWritten, missing }: Findings): string[] {
  return [
    ...(permissionAsked ? [] : ["it used a tool without asking"]),
    ...(fileWritten ? [] : ["its tool wrote no file"]),
    ...missing.map((part) => `after the restart its context lacked the first turn's ${part}`),
  ];
}

export function rowOf({ name, version }: Pin, found: Findings | null): string[] {
  if (found === null) return [name, version];
  const { startMs, newMs, restartMs, loadMs, permissionAsked, missing } = found;
  return [
    ...[name, version, ...[startMs, newMs, restartMs, loadMs].map(String)],
    permissionAsked ? "yes" : "no",
    missing.length === 0 ? "yes" : `lacks ${missing.join(", ")}`,
  ];
}

/** A Markdown table, for the terminal and for the results file. */
export function tableOf(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [columns, ...rows].map((row) => columns.map((_, i) => row[i] ?? "–"));
  const widths = columns.map((_, i) => Math.max(...cells.map((row) => row[i]?.length ?? 0)));
  const line = (row: readonly string[], fill = " ") =>
    `| ${row.map((cell, i) => cell.padEnd(widths[i] ?? 0, fill)).join(" | ")} |`;
  const [head = [], ...rest] = cells.map((row) => line(row));
  return [
    head,
    line(
      columns.map(() => ""),
      "-",
    ),
    ...rest,
  ].join("\n");
}
