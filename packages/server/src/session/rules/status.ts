import { rule, statusChange } from "./rule.ts";

/** Appends the current status where the last recorded one is out of date. */
export const announce = rule("announce", (state, _input, at) => statusChange(state, at));
