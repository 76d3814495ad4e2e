import { rule, statusChange } from "./rule.ts";

/**
 * Appends the current status to a journal whose last recorded status is out of date. All other
 * rules append their own status changes.
 */
export const announce = rule("announce", (state, _input, at) => statusChange(state, at));
