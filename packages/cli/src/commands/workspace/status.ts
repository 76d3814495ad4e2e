import { sessionCommand } from "../../host-command.ts";
import { print, printLine, say } from "../../output/print.ts";

const spec = { name: "workspace status", does: "show the branch and changed files" };

export const status = sessionCommand(spec, async (client, sessionId, { json }) => {
  const reply = await client.call("getWorkspaceStatus", { params: { sessionId } });
  if (json) await print(reply);
  else if (!reply.repository) say("holdfast: the workspace is not a git repository");
  else {
    const head = reply.head === null ? "no commit yet" : reply.head.slice(0, 12);
    await printLine(`${reply.branch ?? "no branch"}, ${head}`);
    for (const file of reply.dirty) await printLine(`  ${file}`);
    if (reply.dirty.length === 0) await printLine("  nothing changed");
  }
});
