import { sessionCommand } from "../../host-command.ts";
import { stateWord } from "../../lines/session-words.ts";
import { print, say } from "../../output/print.ts";
import { withProgressNotes } from "../../output/progress-notes.ts";

const spec = {
  name: "session pause",
  does: "stop the agent until you send a message or resume",
};

export const pause = sessionCommand(spec, async (client, sessionId, { json }) => {
  const work = client.call("pauseSession", { params: { sessionId } });
  const reply = await withProgressNotes("pausing the session", work, json);
  const { session } = reply;
  // A paused session that waits for an answer keeps the word of its question.
  const word = session.lifecycle === "paused" ? "paused" : stateWord(session).word;
  if (json) await print(reply);
  else {
    const until = "the agent is stopped until the next message, answer or resume";
    say(`holdfast: ${word}: ${session.title} (${session.id}); ${until}`);
  }
});
