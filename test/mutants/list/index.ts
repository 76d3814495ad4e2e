/** All planted faults, by the part of the product that they are in. */

import type { Mutant } from "../mutant.ts";
import { inRules } from "./rules.ts";

export const lists: Readonly<Record<string, readonly Mutant[]>> = {
  rules: inRules,
};

export const mutants: readonly Mutant[] = Object.values(lists).flat();
