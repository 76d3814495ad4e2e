/** The matrix as a table: one row for each agent and victim, one column for each phase. */

import { tableOf } from "../report.ts";
import { type Cell, keysOf, losses, phases, victims } from "./cells.ts";
import type { Verdict } from "./judge.ts";

export interface Played {
  readonly cell: Cell;
  /** Null when the cell could not be played to its end. */
  readonly verdict: Verdict | null;
}

const columns = ["agent", "version", "date", "killed", ...Object.values(phases)];

/** The cell's text: the rung, the grade if there is one, and the context that the model saw. */
function wordsOf({ verdict }: Played): string {
  if (verdict === null || verdict.problems.length > 0) return "FAILED";
  const { rung, grade, context } = verdict;
  return grade === null ? `${rung}, ${context}` : `${rung}, ${grade}, ${context}`;
}

export function rowsOf(played: readonly Played[], date: string): string[][] {
  const agents = new Set(played.map(({ cell }) => cell.known));
  return [...agents].flatMap((known) => {
    const own = played.filter(({ cell }) => cell.known === known);
    const { name, version } = known.pin;
    return rowsOfAgent(own).map((row) => [name, version, date, ...row]);
  });
}

function rowsOfAgent(own: readonly Played[]): string[][] {
  const found = (...[victim, phase, loss, next]: [string, string, string?, string?]) =>
    own.find(
      ({ cell }) =>
        cell.victim === victim && cell.phase === phase && cell.loss === loss && cell.next === next,
    );
  const matrix = keysOf(victims).map((victim) => [
    victims[victim],
    ...keysOf(phases).map((phase) => textOf(found(victim, phase))),
  ]);
  const told = keysOf(victims).map((victim) => [
    `${victims[victim]}; then a new message`,
    ...keysOf(phases).map((phase) => textOf(found(victim, phase, undefined, "message"))),
  ]);
  const lost = keysOf(losses).map((loss) => [
    `${victims.agent}, ${losses[loss]}`,
    ...keysOf(phases).map((phase) => textOf(found("agent", phase, loss))),
  ]);
  return [...matrix, ...told, ...lost].filter((row) => row.slice(1).some((text) => text !== NONE));
}

const NONE = "–";
const textOf = (played: Played | undefined) => (played === undefined ? NONE : wordsOf(played));

export const matrixOf = (rows: readonly (readonly string[])[]): string => tableOf(columns, rows);

const from = "<!-- results: npm run test:agents -- --all --docs -->";
const to = "<!-- /results -->";

/** The page with these rows; rows of agents that were not tested stay. */
export function pageWith(page: string, rows: readonly (readonly string[])[]): string {
  const start = page.indexOf(from);
  const end = page.indexOf(to);
  const isThere = start >= 0 && end > start;
  const before = isThere ? page.slice(0, start) : page === "" ? "" : `${page.trimEnd()}\n\n`;
  const behind = isThere ? page.slice(end + to.length) : "\n";
  const known = isThere ? rowsIn(page.slice(start, end)) : [];
  const tried = new Set(rows.map(([agent]) => agent));
  const merged = [...known.filter(([agent]) => !tried.has(agent)), ...rows];
  return `${before}${from}\n\n${matrixOf(merged)}\n\n${to}${behind}`;
}

/** The rows of a table, without its header and separator. */
function rowsIn(table: string): string[][] {
  const lines = table.split("\n").filter((line) => line.startsWith("|"));
  return lines.slice(2).map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}
