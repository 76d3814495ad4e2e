import { rule, statusChange } from "./rule.ts";

/** Every rule says a change of status itself; this is for journals whose last word is not true any more. */
export const announce = rule("announce", (state, _input, at) => statusChange(state, at));
