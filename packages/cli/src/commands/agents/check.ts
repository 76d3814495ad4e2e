import type { AgentCheckView, AgentView } from "@holdfast/protocol";
import { exitCodes } from "../../exit.ts";
import { hostCommand } from "../../host-command.ts";
import { print, printLine } from "../../output/print.ts";
import { withProgressNotes } from "../../output/progress-notes.ts";

const spec = {
  name: "agents check",
  takes: "NAME",
  does: "start an agent and report what it can do",
  words: { least: 1, most: 1 },
};

/** Fails when the agent cannot be used as it is installed. */
export const checkAgent = hostCommand(spec, async (client, given) => {
  const agent = given.words[0] ?? "";
  const asked = client.call("checkAgent", { body: { agent } });
  const { check } = await withProgressNotes(`starting ${agent}`, asked, given.json);
  const { agents } = await client.call("listAgents");
  const known = agents.find(({ name }) => name === check.name);
  const isWell = check.problem === null && check.unwritable.length === 0;
  if (given.json) await print({ check });
  else for (const line of lines(check, known)) await printLine(line);
  return isWell ? exitCodes.ok : exitCodes.failed;
});

const WIDTH = 12;

function lines(check: AgentCheckView, known: AgentView | undefined): string[] {
  const { command, startMs, newMs, modes, logins, unwritable, problem } = check;
  const told: [string, string][] = [
    ["program", command.join(" ")],
    ["version", versionWords(check)],
    ["started", `in ${Math.round(startMs)} ms`],
    ["session", newMs === null ? `✗ none: ${problem}` : `✓ made in ${Math.round(newMs)} ms`],
    ...restartLines(check, known).map((words) => ["restart", words] as const),
    ...(modes.length === 0 ? [] : [["modes", modes.join(", ")] as const]),
    ...loginLines(check).map((words) => ["log in", words] as const),
    ...(problem === null || check.login !== undefined
      ? []
      : [["log in", logins.join(", ") || "see the documentation of the agent"] as const]),
    ...boundaryLines(check).map((words) => ["isolation", words] as const),
    ...unwritable.map(
      (dir) => ["✗ keeps", `its sessions in ${dir}, which is not writable`] as const,
    ),
    ...(known?.quirks ?? []).map((quirk) => ["note", quirk] as const),
  ].map(([name, words]) => [name, words]);
  return told.map(([name, words]) => `${name.padEnd(WIDTH)}${words}`);
}

/** npm silently installs an older release when the newest needs another Node. */
export function versionWords({ version, tested }: AgentCheckView): string {
  if (version === null) return "unknown";
  if (tested === undefined || tested === version) return version;
  return `${version} ! Holdfast was tested with ${tested}, not with this version`;
}

export function loginLines({ login }: AgentCheckView): string[] {
  if (login === undefined) return [];
  if (login.found) return ["✓ found"];
  return [`! none found (looked for ${login.looked.join(", ")})`, login.how];
}

export function boundaryLines({ isolation, survivorsEnd }: AgentCheckView): string[] {
  return [
    ...(isolation === "none"
      ? ["none: the agent can read and change everything you can, without asking"]
      : []),
    ...(survivorsEnd === false
      ? ["! no pid namespaces: a process that the agent starts in the background may outlive it"]
      : []),
  ];
}

/** Lines that say how the agent gets its memory back after a restart. */
export function restartLines(
  { can, unknownSession }: AgentCheckView,
  known?: Pick<AgentView, "resume" | "history">,
): string[] {
  const { resume, history } = known ?? {};
  const tells = history === "never" ? "it starts fresh" : "Holdfast tells it the conversation";
  if (!can.includes("load") || resume === "none" || history === "inject") return [tells];
  const taken = "! it accepts a session id that does not exist; Holdfast checks what it loads";
  return [
    `it loads its own saved session; if that fails, ${tells}`,
    ...(unknownSession === "taken" ? [taken] : []),
  ];
}
