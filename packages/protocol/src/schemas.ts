/** The schemas, apart from the index: loading zod would take a CLI command 0.1 s of its start. */

export { commands, intents, MAX_CONTENT, parseCommand } from "./commands.ts";
export { decodeEvents, encodeStamped, eventBody, MAX_EVENT_BYTES } from "./events.ts";
export { wellFormed } from "./json.ts";
export { MAX_BODY, routes } from "./wire/routes.ts";
export { shapes } from "./wire/shapes.ts";
