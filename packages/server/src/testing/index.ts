export { batchOf, eventLine, headOf, readAll, sessionId, startSession } from "./journal-steps.ts";
export { journalSuite, type SuiteStore } from "./journal-suite.ts";
export { type SuiteSandboxes, sandboxSuite } from "./sandbox-suite.ts";
