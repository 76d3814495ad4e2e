import { parseArgs } from "node:util";
import { HostError } from "@holdfast/protocol";

const options = {
  data: { type: "string" },
  host: { type: "string" },
  port: { type: "string" },
  json: { type: "boolean", default: false },
} as const;

/** Unknown flags and too many words are an error that names them, not something to ignore. */
export function readFlags(args: string[], words: number) {
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    if (positionals.length > words) {
      throw new HostError(
        "bad_input",
        `Too many words: "${positionals[words]}". See holdfast help.`,
      );
    }
    return { ...values, words: positionals };
  } catch (error) {
    if (error instanceof HostError) throw error;
    const said = error instanceof Error ? error.message : String(error);
    throw new HostError("bad_input", `${said} See holdfast help.`);
  }
}
