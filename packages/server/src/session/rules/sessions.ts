import { HostError } from "@holdfast/protocol";
import { checkOverrides } from "../../base/policy.ts";
import { notEnded, rule } from "./rule.ts";

export const create = rule("create", (state, input) => {
  if (state.seq > 0) {
    return new HostError("session_exists", `Session ${input.sessionId} exists already.`);
  }
  const refused = checkOverrides(input.policy);
  if (refused !== null) return refused;
  const { workspace } = input;
  if (workspace.kind !== "empty" && workspace.path === null) {
    return new HostError("bad_input", `workspace.path is needed for the kind "${workspace.kind}".`);
  }
  return [{ kind: "session.created", ...input }];
});

export const rename = rule("rename", (state, input) => {
  const refused = notEnded(state);
  if (refused !== null) return refused;
  return state.title === input.title ? [] : [{ kind: "session.renamed", title: input.title }];
});

export const setPolicy = rule("setPolicy", (state, input) => {
  const refused = notEnded(state) ?? checkOverrides(input.policy);
  return (
    refused ?? [{ kind: "session.policy_changed", policy: { ...state.policy, ...input.policy } }]
  );
});
