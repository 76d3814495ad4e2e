/** Where the fake keeps its transcripts, and writes down what it was asked. */
export const directory = process.env.CLAUDE_CONFIG_DIR ?? "";
