/** `config.json` in the data directory: the person's settings for every start. */

import { readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { HostError } from "@holdfast/protocol";
import { z } from "zod";
import { ownAgents } from "./agents/table/own-rows.ts";
import { policyMistakes, settable } from "./base/policy.ts";

/** Defaults for sessions without a policy of their own. */
const policyDefaults = z.record(z.string(), z.json()).superRefine((policy, context) => {
  for (const [name, mistake] of policyMistakes(policy)) {
    const message = mistake === "cannot be set" ? `${mistake}. ${settable()}` : mistake;
    context.addIssue({ code: "custom", path: [name], message });
  }
});

export const configFile = z.strictObject({
  agents: ownAgents.optional(),
  policy: policyDefaults.optional(),
});

export function readConfigFile(data: string): z.infer<typeof configFile> {
  const path = join(data, "config.json");
  const text = read(path);
  if (text === null) return {};
  const parsed = configFile.safeParse(parse(path, text));
  if (parsed.success) return parsed.data;
  throw unusable(path, wrongIn(parsed.error.issues));
}

const MOST_NAMED = 20;

/** The text for all mistakes together, so that a person can correct them in one go. */
function wrongIn(issues: readonly z.core.$ZodIssue[]): string {
  const words = issues.slice(0, MOST_NAMED).map((issue) => {
    const { message } = issue.code === "invalid_key" ? (issue.issues[0] ?? issue) : issue;
    return `${issue.path.join(".") || "the file"}: ${message.replace(/\.$/, "")}`;
  });
  const more = issues.length - words.length;
  return [...words, ...(more > 0 ? [`and ${more} more`] : [])].join("; ");
}

/** True when other users can write the file; in a closed directory its mode does not matter. */
function canOthersWrite(path: string): boolean {
  if (process.platform === "win32" || (statSync(path).mode & 0o022) === 0) return false;
  return (statSync(dirname(realpathSync(path))).mode & 0o011) !== 0;
}

function read(path: string): string | null {
  try {
    // The file names commands to start, so another user who can write it could run commands as this
    // user.
    if (canOthersWrite(path)) throw unusable(path, `other users can write it (chmod go-w ${path})`);
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof HostError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    // Opening the data directory reports its own problems later.
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    throw unusable(path, (error as Error).message);
  }
}

function parse(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw unusable(path, (error as Error).message);
  }
}

const unusable = (path: string, why: string) =>
  new HostError("bad_input", `${path} is not valid: ${why}. Correct it, or move it away.`);
