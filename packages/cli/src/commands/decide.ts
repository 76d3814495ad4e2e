/** An answer to a question, bound to the shown request: the host refuses it for any other. */

import type { Client } from "@holdfast/client";
import {
  type ApprovalDecision,
  type ApprovalView,
  authorWords,
  decisionWords,
  reasonWords,
} from "@holdfast/protocol";
import { command } from "../command.ts";
import type { HostGiven } from "../config.ts";
import { CliError, exitCodes, usage } from "../exit.ts";
import { hostFlags } from "../flags.ts";
import { hint } from "../hint.ts";
import { connect } from "../host/connect.ts";
import { findSession, waitingSession } from "../host/sessions.ts";
import { optionsOf, questionLine, questionLines } from "../lines/question-lines.ts";
import type { Question } from "../lines/render.ts";
import { openQuestions } from "../lines/transcript-lines.ts";
import { canAsk, confirmed, typedAnswer } from "../live/confirm.ts";
import type { Answer } from "../live/keys.ts";
import { optionFor, wordFor } from "../live/own-option.ts";
import { print, say } from "../output/print.ts";

const decideFlags = {
  option: { value: "OPTION", does: "one of the answers that the agent offers, by number or name" },
  reason: { value: "TEXT", does: reasonWords },
  ...hostFlags,
} as const;
const answering = { takes: "SESSION [APPROVAL]", words: { least: 1, most: 2 } };

const approveSpec = {
  ...answering,
  name: "approve",
  does: "show what the agent asks for, and allow it",
  flags: {
    always: { does: "allow, and do not ask again for exactly this in this session" },
    yes: { short: "y", does: "do not ask for confirmation; required without a terminal" },
    ...decideFlags,
  },
} as const;

export const approve = command(approveSpec, (given) =>
  decide(given, given.always ? "allow_always" : "allow"),
);

const denySpec = {
  ...answering,
  name: "deny",
  does: "deny what the agent asks for",
  flags: decideFlags,
};

export const deny = command(denySpec, (given) => decide(given, "deny"));

interface DecideGiven extends HostGiven {
  readonly words: readonly string[];
  readonly option: string | undefined;
  readonly reason: string | undefined;
  readonly json: boolean;
  readonly yes?: boolean;
}

async function decide(given: DecideGiven, wanted: ApprovalDecision): Promise<number> {
  if (given.option !== undefined && wanted === "allow_always") {
    throw usage("Use --always or --option, not both.");
  }
  const [word = "", approval] = given.words;
  const client = await connect(given);
  const isLatest = word === "latest";
  const sessionId = isLatest ? await waitingSession(client) : await findSession(client, word);
  const question = await questionOf(client, sessionId, approval);
  const { runId, approvalId, digest } = question;
  const answer = await answerTo(question, sessionId, wanted, given);
  if (answer === null) {
    say("holdfast: not answered; the question stays open");
    return exitCodes.needsDecision;
  }
  const { decision, option } = answer;
  const { reason } = given;
  const body = {
    decision,
    digest,
    ...(option === undefined ? {} : { option: option.id }),
    ...(reason === undefined ? {} : { reason }),
  };
  const reply = await client.call("decideApproval", { params: { runId, approvalId }, body });
  if (given.json) await print(reply);
  else say(`holdfast: ${standing(reply.approval, answer, question)}`);
  return stands(reply.approval, answer) ? exitCodes.ok : exitCodes.failed;
}

/**
 * On a terminal the person reads the request before answering, and chooses among the agent's own
 * options if it offers some. A script passes --yes, --json or --option. Null when the person gives
 * no answer.
 */
async function answerTo(
  question: Question,
  sessionId: string,
  decision: ApprovalDecision,
  { option, yes = false, json }: DecideGiven,
): Promise<Answer | null> {
  if (option !== undefined) return optionNamed(question, sessionId, option, decision);
  if (decision === "deny" || yes || json) return { decision };
  const options = optionsOf(question);
  for (const line of questionLines(question)) say(line);
  if (canAsk(json) && options.length > 0 && decision === "allow") {
    const typed = await typedAnswer(
      `Which answer? [1-${options.length}, or Enter to leave it open] `,
    );
    return typed.trim() === "" ? null : optionNamed(question, sessionId, typed.trim());
  }
  const what = decision === "allow_always" ? "Always allow exactly this?" : "Allow it once?";
  return (await confirmed(what, { yes, json, strict: true })) ? { decision } : null;
}

/** The option that `text` names. `decision` is absent for a person who chose from the list. */
function optionNamed(
  question: Question,
  sessionId: string,
  text: string,
  decision?: ApprovalDecision,
): Answer {
  const options = optionsOf(question);
  if (options.length === 0) {
    throw usage("The agent offers no answers to choose from. Leave --option out.");
  }
  // The list asks for a number, so there a number is never a name.
  const listed = decision === undefined ? options[Number(text) - 1] : undefined;
  const option = listed ?? optionFor(text, options);
  if (option === undefined) {
    const offered = options.map(({ name }, i) => `${i + 1} "${name}"`).join(", ");
    throw usage(`The agent does not offer "${text}". It offers: ${offered}.`);
  }
  if (decision === undefined || decision === option.decision) {
    return { decision: option.decision, option };
  }
  const verb = option.decision === "deny" ? "deny" : "approve";
  const command = hint(verb, sessionId, question.approvalId, "--option", wordFor(option, options));
  const means = option.decision === "deny" ? "no" : "yes";
  throw usage(`"${option.name}" means ${means}. To choose it, use: ${command}`);
}

async function questionOf(client: Client, sessionId: string, id?: string): Promise<Question> {
  const call = { params: { sessionId }, query: { tail: 1 } };
  const { state, session } = await client.call("getTranscript", call);
  const open = openQuestions(state, session.runtime.state);
  const fits = id === undefined ? open : open.filter(({ approvalId }) => approvalId.startsWith(id));
  const [question, ...others] = fits;
  if (question === undefined) {
    throw new CliError(
      id === undefined ? "nothing_to_do" : "not_found",
      id === undefined
        ? "This session has no open question."
        : `This session has no open question "${id}". To see what it asks: ${hint("show", sessionId)}`,
    );
  }
  if (others.length === 0) return question;
  const names = fits.map((one) => `${one.approvalId} (${questionLine(one)})`);
  throw usage(`This session has several open questions. Name one: ${names.join(", ")}.`);
}

function stands({ decision, option }: ApprovalView, wanted: Answer): boolean {
  return decision === wanted.decision && option === (wanted.option?.id ?? option);
}

function standing(approval: ApprovalView, wanted: Answer, question: Question): string {
  const { decision, by, option } = approval;
  const what = questionLine(question);
  if (decision === null) return `no longer asked: ${what}`;
  const chosen = optionsOf(question).find(({ id }) => id === option);
  const said = chosen === undefined ? decisionWords[decision] : `answered “${chosen.name}”`;
  if (stands(approval, wanted)) return `${said}: ${what}`;
  return `already answered by ${authorWords(by)}: ${said}: ${what}`;
}
