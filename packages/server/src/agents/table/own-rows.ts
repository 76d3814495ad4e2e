/**
 * The person's own agents and changes to known ones, from `agents` of `config.json` in the data
 * directory. An invalid entry is refused with its location: an agent that silently differs from its
 * entry would be worse than an error.
 */

import { isAbsolute } from "node:path";
import { z } from "zod";
import type { AgentRow } from "./row.ts";
import { agentRows } from "./rows.ts";
import { type AgentDefinition, agentOf, type RowSettings } from "./table.ts";

const variable = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "must be the name of an environment variable");
const absolute = z.string().refine(isAbsolute, "must be an absolute path");

const rowNamed = (name: string) => agentRows.find((row) => row.name === name);
const known = agentRows.map((row) => row.name).join(", ");

const likeness = z.string().refine((name) => rowNamed(name) !== undefined, {
  error: ({ input }) => `there is no agent "${input}". Known: ${known}`,
});

const fields = z.strictObject({
  like: likeness.optional(),
  title: z.string().min(1).max(100).optional(),
  command: z
    .tuple([z.string().min(1)], z.string())
    .refine(([file]) => isAbsolute(file) || !file.includes("/"), {
      error: "must begin with the name of an executable on the PATH, or an absolute path",
    })
    .optional(),
  env: z.record(variable, z.string()).optional(),
  pass: z.array(variable).optional(),
  hosts: z.array(z.string()).optional(),
  resume: z.enum(["native", "none"]).optional(),
  history: z.enum(["inject", "fallback", "never"]).optional(),
  mode: z.string().min(1).optional(),
  lateReplay: z.number().int().min(0).max(30_000).optional(),
  home: z.enum(["shared", "private"]).optional(),
  definition: absolute.optional(),
});

const ownAgent = fields.refine(
  ({ home, definition }) => home !== "shared" || definition === undefined,
  '"home" cannot be combined with "definition", which always uses a private home: leave "home" out',
);

export type OwnAgent = z.infer<typeof ownAgent>;

const agentName = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9._-]{0,63}$/,
    "must consist of lowercase letters, digits and the characters . _ -",
  );

const named = z.record(agentName, ownAgent).superRefine(
  (entries, context) => {
    for (const [name, entry] of Object.entries(entries)) {
      if (isStartable(name, entry)) continue;
      const message = "is required: the program and its arguments";
      context.addIssue({ code: "custom", path: [name, "command"], message });
    }
  },
  // Runs even if other fields are invalid, so that all problems are reported at once.
  { when: ({ value }) => z.record(z.string(), z.looseObject({})).safeParse(value).success },
);

function isStartable(name: string, { like, command }: OwnAgent): boolean {
  return command !== undefined || like !== undefined || rowNamed(name) !== undefined;
}

export const ownAgents = named;

export function allAgents(
  own: Readonly<Record<string, OwnAgent>>,
  env: NodeJS.ProcessEnv,
): AgentDefinition[] {
  const changed = agentRows.map((row) => [row.name, own[row.name] ?? {}] as const);
  const added = Object.entries(own).filter(([name]) => rowNamed(name) === undefined);
  return [...changed, ...added].map(([name, entry]) =>
    agentOf(rowOf(name, entry), env, settings(entry)),
  );
}

function rowOf(name: string, entry: OwnAgent): AgentRow {
  const base = baseOf(name, entry);
  const { command, env, pass, title, hosts, resume, history, mode, lateReplay } = entry;
  const [bin, ...args] = command ?? [];
  const { tested, ...known } = base;
  return {
    ...known,
    // `tested` applies only to the original program.
    ...(tested === undefined || bin !== undefined ? {} : { tested }),
    name,
    title: title ?? (entry.like === undefined ? base.title : name),
    ways: bin === undefined ? base.ways : [{ bin, args }],
    install: bin === undefined ? base.install : { advice: `install ${bin}, or change its command` },
    env: { ...base.env, ...env },
    pass: [...base.pass, ...(pass ?? [])],
    hosts: hosts ?? base.hosts,
    resume: resume ?? base.resume,
    history: history ?? base.history,
    ...(mode === undefined ? {} : { mode }),
    ...(lateReplay === undefined ? {} : { lateReplay }),
  };
}

function baseOf(name: string, { like }: OwnAgent): AgentRow {
  return rowNamed(like ?? name) ?? { ...unknown, name, title: name };
}

/** Defaults for an untested agent: it speaks the protocol and can load its sessions. */
const unknown: Omit<AgentRow, "name" | "title"> = {
  ways: [],
  install: null,
  pass: [],
  env: {},
  hosts: [],
  home: {},
  keeps: [],
  quirks: [],
  resume: "native",
  history: "fallback",
  freeze: false,
};

function settings({ home, definition }: OwnAgent): RowSettings {
  return {
    ...(home === undefined ? {} : { ownHome: home === "private" }),
    ...(definition === undefined ? {} : { definition }),
  };
}
