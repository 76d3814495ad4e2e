import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import * as f from "../../../gallery/fixtures.ts";
import { decisionOf } from "../../pages/session/decision-of.ts";
import { type SessionActions, SessionActionsContext } from "../../session-actions.ts";
import { type Decision, DecisionTray, type Given } from "./decision-tray.tsx";

const toolInput = { n: 1 };
const approvals = [f.approval({ toolName: "other", toolInput })];
const question = decisionOf({ approvals, session: f.session(), state: null, messages: [] }, []);

function drawn(change: Partial<Decision>): string {
  const decision = { ...(question as Decision), askedAt: f.at(16), ...change };
  const tray = { decision, now: f.NOW, hasDraft: false, stop: "none" } as const;
  const value = {} as SessionActions;
  return renderToStaticMarkup(
    createElement(SessionActionsContext, { value }, createElement(DecisionTray, tray)),
  );
}

test("only an open question shows its age, because an answer is younger than its question", () => {
  const given: Given = { decision: "allow", reason: null, option: null, n: 1, state: "waiting" };
  expect(drawn({})).toContain("16 s");
  expect(drawn({ given })).toContain("Answered here");
  expect(drawn({ given })).not.toContain("16 s");
});

test("input that is no command is called the input of the call", () => {
  expect(drawn({})).toContain("The exact input of this call:");
  expect(drawn({})).not.toContain("would run:");
});
