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
  const [first] = parsed.error.issues;
  const where = first?.path.join(".") || "the file";
  throw unusable(path, `${where}: ${first?.message ?? "cannot be understood"}`);
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
