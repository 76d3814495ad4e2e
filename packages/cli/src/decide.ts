/** An answer to a question, bound to what was asked: if that changed meanwhile, the host refuses it. */

import type { Client } from "@holdfast/client";
import type { ApprovalDecision, ApprovalView, SessionState } from "@holdfast/protocol";
import { canAsk, confirmed } from "./confirm.ts";
import { connect, type HostGiven } from "./connect.ts";
import { CliError, exitCodes, usage } from "./exit.ts";
import { hostFlags } from "./flags.ts";
import { print, say } from "./print.ts";
import { questionLine, questionLines } from "./question-lines.ts";
import type { Question } from "./render.ts";
import { findSession, refuseSeveralWaiting } from "./sessions.ts";
import { openQuestions } from "./transcript-lines.ts";

export const allowFlags = {
  yes: { short: "y", does: "allow it without asking; needed where there is no terminal" },
} as const;
export const decideFlags = {
  reason: { value: "TEXT", does: "told to the agent" },
  ...hostFlags,
} as const;
export const decideWords = { least: 1, most: 2 } as const;

interface DecideGiven extends HostGiven {
  readonly words: readonly string[];
  readonly reason: string | undefined;
  readonly json: boolean;
  readonly yes?: boolean;
}

export async function decide(given: DecideGiven, decision: ApprovalDecision): Promise<number> {
  const [word = "", approval] = given.words;
  const client = await connect(given);
  if (word === "latest") await refuseSeveralWaiting(client);
  const sessionId = await findSession(client, word);
  const question = await questionOf(client, sessionId, approval);
  const { runId, approvalId, digest } = question;
  if (decision !== "deny" && !(await isMeant(question, decision, given))) {
    say("holdfast: nothing was answered");
    return exitCodes.needsDecision;
  }
  const { reason } = given;
  const body = { decision, digest, ...(reason === undefined ? {} : { reason }) };
  const reply = await client.call("decideApproval", { params: { runId, approvalId }, body });
  if (given.json) await print(reply);
  else say(`holdfast: ${standing(reply.approval, decision, questionLine(question))}`);
  return reply.approval.decision === decision ? exitCodes.ok : exitCodes.failed;
}

/** On a terminal a person reads what would run before it may; a script says --yes or --json. */
async function isMeant(
  question: Question,
  decision: ApprovalDecision,
  { yes = false, json }: DecideGiven,
): Promise<boolean> {
  if (yes || json) return true;
  if (canAsk(json)) for (const line of questionLines(question)) say(line);
  const what = decision === "allow_always" ? "Always allow exactly this?" : "Allow it once?";
  return confirmed(what, { yes, json, strict: true });
}

async function questionOf(client: Client, sessionId: string, id?: string): Promise<Question> {
  const call = { params: { sessionId }, query: { tail: 1 } };
  const { state } = await client.call("getTranscript", call);
  const open = openQuestions(state as unknown as SessionState);
  const fits = id === undefined ? open : open.filter(({ approvalId }) => approvalId.startsWith(id));
  const [question, ...others] = fits;
  if (question === undefined) {
    throw new CliError(
      id === undefined ? "nothing_to_do" : "not_found",
      id === undefined ? "It does not ask for anything now." : `It does not ask "${id}" now.`,
    );
  }
  if (others.length === 0) return question;
  const names = fits.map((one) => `${one.approvalId} (${questionLine(one)})`);
  throw usage(`It asks for more than one thing. Say which: ${names.join(", ")}.`);
}

const done = { allow: "allowed once", allow_always: "always allowed", deny: "denied" } as const;

function standing({ decision, by }: ApprovalView, wanted: ApprovalDecision, what: string): string {
  if (decision === wanted) return `${done[decision]}: ${what}`;
  if (decision === null) return `no longer asked: ${what}`;
  return `${by ?? "somebody"} was first: ${done[decision]}: ${what}`;
}
