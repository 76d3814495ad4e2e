/** The files of the replay seed. */

export const replayFiles = {
  store: "store",
  session: "session.txt",
  lines: "lines.jsonl",
  blocks: "blocks.json",
} as const;

export interface Block {
  readonly count: number;
  readonly length: number;
}
