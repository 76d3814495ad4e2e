/** Parses the command line: agents, cells, and files to write. */

import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type KnownAgent, knownAgents } from "./known.ts";
import { type Cell, cellsFor, keysOf, phases, victims } from "./matrix/cells.ts";

export interface Choice {
  readonly agents: readonly KnownAgent[];
  readonly cells: readonly Cell[];
  /** The documentation page to update with the matrix; null for no update. */
  readonly page: string | null;
  readonly results: string;
}

/** Throws an error whose message is meant for the command line. */
export function choiceOf(args: readonly string[]): Choice {
  const { values: flags } = parseArgs({
    args: [...args],
    options: {
      all: { type: "boolean", default: false },
      only: { type: "string" },
      phase: { type: "string" },
      victim: { type: "string" },
      docs: { type: "boolean", default: false },
      results: { type: "string", default: inProject(".results/agents.json") },
    },
  });
  const { phase, victim } = flags;
  if (phase !== undefined) mustBe("phase", [phase], keysOf(phases));
  if (victim !== undefined) mustBe("victim", [victim], keysOf(victims));
  if (flags.docs && (phase ?? victim) !== undefined) {
    throw new Error("--docs keeps whole rows: leave out --phase and --victim");
  }
  const agents = flags.only === undefined ? usual(flags.all) : named(flags.only.split(","));
  return {
    agents,
    cells: agents.flatMap((agent) => cellsFor(agent, { phase, victim })),
    page: flags.docs ? inProject("docs/agents.md") : null,
    results: flags.results,
  };
}

const usual = (all: boolean) => knownAgents.filter(({ isUsual }) => all || isUsual);

function named(names: readonly string[]): readonly KnownAgent[] {
  const known = knownAgents.map(({ pin }) => pin.name);
  mustBe("agent", names, known);
  return knownAgents.filter(({ pin }) => names.includes(pin.name));
}

function mustBe(what: string, wanted: readonly string[], known: readonly string[]): void {
  const unknown = wanted.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new Error(`there is no ${what} ${unknown}; there are ${known.join(", ")}`);
}

const inProject = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
