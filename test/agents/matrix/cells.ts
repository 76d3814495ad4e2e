/**
 * The matrix: the agents, the victims of a kill, the moments of the kill, and the claims that each
 * cell proves.
 */

import type { KnownAgent } from "../known.ts";

/** Victims by their command-line name, with a name for people. */
export const victims = {
  agent: "agent",
  holder: "holder and agent",
  host: "host",
  all: "host, holder and agent",
} as const;

export const phases = {
  turn: "after the turn",
  stream: "in mid-stream",
  tool: "after the tool",
  permission: "with a question open",
  open: "while a tool runs",
} as const;

/** Ways in which an agent loses its stored session, besides the kill. */
export const losses = {
  files: "and its own files are lost",
  minute: "and loads its session in the minute that made it",
} as const;

/** A person's reaction to interrupted work. */
export const nexts = {
  continue: "presses Continue",
  message: "sends a new message",
} as const;

export type Next = keyof typeof nexts;
export type Victim = keyof typeof victims;
export type Phase = keyof typeof phases;
export type Loss = keyof typeof losses;

export interface Cell {
  readonly known: KnownAgent;
  readonly victim: Victim;
  readonly phase: Phase;
  readonly loss?: Loss;
  /** Reaction to interrupted work; Continue when absent. */
  readonly next?: Next;
}

/** True when the kill interrupts the run, so that a person must continue it. */
export const isInterrupted = ({ phase, victim }: Pick<Cell, "phase" | "victim">): boolean =>
  victim !== "host" && (phase === "stream" || phase === "tool" || phase === "open");

export interface Choice {
  readonly phase?: string | undefined;
  readonly victim?: string | undefined;
}

export function cellsFor(known: KnownAgent, choice: Choice = {}): Cell[] {
  const { phase: wantedPhase, victim: wantedVictim } = choice;
  const all: Cell[] = keysOf(phases)
    .filter((phase) => phase !== "open")
    .flatMap((phase) => keysOf(victims).map((victim) => ({ known, victim, phase })));
  const told: Cell[] = keysOf(phases).flatMap((phase) =>
    keysOf(victims)
      .map((victim): Cell => ({ known, victim, phase, next: "message" }))
      .filter(isInterrupted),
  );
  const lost: Loss[] = known.restMs === undefined ? ["files"] : ["files", "minute"];
  const extra: Cell[] = lost.map((loss) => ({ known, victim: "agent", phase: "turn", loss }));
  return [...all, ...told, ...extra].filter(
    ({ phase, victim }) => (wantedPhase ?? phase) === phase && (wantedVictim ?? victim) === victim,
  );
}

export const keysOf = <K extends string>(table: Readonly<Record<K, unknown>>): K[] =>
  Object.keys(table) as K[];

/** Name of the cell, used as the model's address and in progress lines. */
export function nameOf({ known, victim, phase, loss, next }: Cell): string {
  const more = [loss, next].filter((word) => word !== undefined);
  return [known.pin.name, phase, victim, ...more].join("-");
}

/** A sentence with the ids of the requirements that the cell proves. */
export function titleOf(cell: Cell): string {
  const { known, victim, phase, loss, next } = cell;
  const killed = `${known.pin.name}: ${victims[victim]} killed ${phases[phase]}`;
  if (next === "message") return `${killed}: ${messageClaim}`;
  const [what, ids] = loss === undefined ? claimOf(cell) : lossClaim;
  const when = loss === undefined ? killed : `${killed}, ${losses[loss]}`;
  return `${when}: ${what} ${ids.map((id) => `[${id}]`).join(" ")}`.trim();
}

type Claim = readonly [what: string, ids: readonly string[]];

const lossClaim: Claim = [
  "the loss is noticed, and the conversation is injected into the prompt",
  ["U8", "U21", "R004-4"],
];

const messageClaim =
  "a new message instead of Continue tells the model of the interrupted work, and the receipt names it";

const adopted = "the agent is adopted and continues";

const claims: Readonly<Record<Phase, Readonly<Record<"dead" | "host", Claim>>>> = {
  turn: {
    dead: [
      "the next message is answered by an agent that knows the whole conversation",
      ["U5", "F45", "R000-3"],
    ],
    host: [`${adopted} with the next message`, []],
  },
  stream: {
    dead: ["one interruption, the text is kept, and Continue knows it", ["R000-4", "U5"]],
    host: [`${adopted} without an interruption`, []],
  },
  tool: {
    dead: ["one interruption, and the tool's effect is there once", ["U17", "U5"]],
    host: [`${adopted}, and the tool's effect is there once`, []],
  },
  open: {
    dead: ["one interruption", []],
    host: [`${adopted}`, []],
  },
  permission: {
    dead: [
      "the question is answered while all processes are dead, and the tool runs once without asking again",
      ["U16"],
    ],
    host: [
      "the same question is answered, and the agent that asked gets the answer",
      ["F8", "U13"],
    ],
  },
};

const afterBoot: Readonly<Record<Phase, readonly string[]>> = {
  turn: ["R004-43"],
  stream: ["F1", "R002-51"],
  tool: ["R002-51"],
  open: [],
  permission: [],
};

function claimOf({ phase, victim, known }: Cell): Claim {
  const [what, ids] = claims[phase][victim === "host" ? "host" : "dead"];
  // An agent that sometimes loses its sessions may also resume with an injected history.
  const isNative = phase === "turn" && victim !== "host" && known.restMs === undefined;
  const further = [
    ...(isNative ? ["R001-2", "R001-10", "R004-3"] : []),
    ...(victim === "all" ? afterBoot[phase] : []),
  ];
  return [what, [...ids, ...further]];
}
