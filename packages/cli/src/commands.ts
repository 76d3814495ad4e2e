/**
 * Every command by its name, in the order of help. Only the command that runs is loaded: all of them
 * need a third more processor time to start.
 */

import type { Command } from "./command.ts";

export const commands: ReadonlyMap<string, () => Promise<Command>> = new Map([
  ["serve", async () => (await import("./commands/serve.ts")).serve],
  ["run", async () => (await import("./commands/run.ts")).run],
  ["ls", async () => (await import("./commands/ls.ts")).listSessions],
  ["show", async () => (await import("./commands/show.ts")).show],
  ["attach", async () => (await import("./commands/attach.ts")).attach],
  ["send", async () => (await import("./commands/send.ts")).send],
  ["approve", async () => (await import("./commands/decide.ts")).approve],
  ["deny", async () => (await import("./commands/decide.ts")).deny],
  ["cancel", async () => (await import("./commands/cancel.ts")).cancel],
  ["queue", async () => (await import("./commands/queue.ts")).queue],
  ["session resume", async () => (await import("./commands/session/resume.ts")).resume],
  ["session continue", async () => (await import("./commands/session/resume.ts")).goOn],
  ["session retry", async () => (await import("./commands/session/retry.ts")).retry],
  ["session dismiss", async () => (await import("./commands/session/dismiss.ts")).dismiss],
  ["session pause", async () => (await import("./commands/session/pause.ts")).pause],
  ["session rename", async () => (await import("./commands/session/rename.ts")).rename],
  ["session end", async () => (await import("./commands/session/end.ts")).end],
  ["session delete", async () => (await import("./commands/session/end.ts")).remove],
  ["workspace status", async () => (await import("./commands/workspace/status.ts")).status],
  ["workspace diff", async () => (await import("./commands/workspace/diff.ts")).diff],
  ["workspace files", async () => (await import("./commands/workspace/files.ts")).files],
  ["rules ls", async () => (await import("./commands/rules/ls.ts")).listRules],
  ["rules revoke", async () => (await import("./commands/rules/revoke.ts")).revokeRule],
  ["logs", async () => (await import("./commands/logs.ts")).logs],
  ["agents", async () => (await import("./commands/agents/ls.ts")).listAgents],
  ["agents check", async () => (await import("./commands/agents/check.ts")).checkAgent],
  ["keys create", async () => (await import("./commands/keys/create.ts")).createKey],
  ["keys ls", async () => (await import("./commands/keys/ls.ts")).listKeys],
  ["keys revoke", async () => (await import("./commands/keys/revoke.ts")).revokeKey],
  ["devices ls", async () => (await import("./commands/devices/ls.ts")).listDevices],
  ["devices revoke", async () => (await import("./commands/devices/revoke.ts")).revokeDevice],
  ["link", async () => (await import("./commands/link.ts")).link],
  ["doctor", async () => (await import("./commands/doctor.ts")).doctor],
  ["stop", async () => (await import("./commands/stop.ts")).stop],
  ["backup", async () => (await import("./commands/backup.ts")).backup],
  ["repair", async () => (await import("./commands/repair.ts")).repair],
]);

export function allCommands(): Promise<Command[]> {
  return Promise.all([...commands.values()].map((load) => load()));
}
