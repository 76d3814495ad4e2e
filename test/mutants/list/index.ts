/** All planted faults, by the part of the product that they are in. */

import type { Mutant } from "../mutant.ts";
import { inApprovals } from "./approvals.ts";
import { inCli } from "./cli.ts";
import { inTheClient } from "./client.ts";
import { atTheDoors } from "./doors.ts";
import { inTheEgress } from "./egress.ts";
import { inLifecycle } from "./lifecycle.ts";
import { onThePage } from "./page.ts";
import { inResume } from "./resume.ts";
import { inRules } from "./rules.ts";
import { inRuntime } from "./runtime.ts";
import { inSandboxes } from "./sandboxes.ts";
import { inSessions } from "./sessions.ts";
import { onWholeSystems } from "./whole.ts";

export const lists: Readonly<Record<string, readonly Mutant[]>> = {
  cli: inCli,
  rules: inRules,
  lifecycle: inLifecycle,
  approvals: inApprovals,
  runtime: inRuntime,
  doors: atTheDoors,
  egress: inTheEgress,
  sandboxes: inSandboxes,
  client: inTheClient,
  page: onThePage,
  sessions: inSessions,
  whole: onWholeSystems,
  resume: inResume,
};

export const mutants: readonly Mutant[] = Object.values(lists).flat();
