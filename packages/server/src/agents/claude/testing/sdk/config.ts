/** Directory of the fake's transcripts and of its log of queries. */
export const directory = process.env.CLAUDE_CONFIG_DIR ?? "";
