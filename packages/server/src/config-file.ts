/** `config.json` in the data directory: what a person sets once, and for every start. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { HostError } from "@holdfast/protocol";
import type { z } from "zod";
import { configFile } from "./agents/own-rows.ts";

export function readConfigFile(data: string): z.infer<typeof configFile> {
  const path = join(data, "config.json");
  const text = read(path);
  if (text === null) return {};
  const parsed = configFile.safeParse(parse(path, text));
  if (parsed.success) return parsed.data;
  throw unusable(path, wrongIn(parsed.error.issues));
}

const MOST_NAMED = 20;

/** All of it at once: whoever mends one mistake should not meet the next at the next start. */
function wrongIn(issues: readonly z.core.$ZodIssue[]): string {
  const words = issues.slice(0, MOST_NAMED).map((issue) => {
    const { message } = issue.code === "invalid_key" ? (issue.issues[0] ?? issue) : issue;
    return `${issue.path.join(".") || "the file"}: ${message}`;
  });
  const more = issues.length - words.length;
  return [...words, ...(more > 0 ? [`and ${more} more`] : [])].join("; ");
}

function read(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // What is wrong with the directory itself is said by whoever opens it.
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
  new HostError("bad_input", `${path} cannot be used: ${why}. Mend it, or move it away.`);
