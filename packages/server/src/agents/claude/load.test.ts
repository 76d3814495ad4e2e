import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { cleanUp, temporaryDirectory, textOf } from "../demo/testing/drive.ts";
import {
  aPlace,
  askedOf,
  endBridges,
  optionsAsked,
  type Place,
  remember,
  startBridge,
} from "./testing/bridge.ts";
import { assistant, done, say, text, toolResult, toolUse, user } from "./testing/says.ts";

let place: Place;

beforeEach(() => {
  place = aPlace(temporaryDirectory);
});
afterEach(async () => {
  await endBridges();
  await cleanUp();
});

const conversation = [
  user("Make it right", "u-1"),
  assistant(toolUse("toolu_1", "Bash", { command: "ls" }), { uuid: "a-1" }),
  user([toolResult("toolu_1", "a.txt")], "u-2"),
  assistant(text("There is a.txt."), { uuid: "a-2" }),
  user("Delete it", "u-3"),
  assistant(toolUse("toolu_2", "Bash", { command: "rm a.txt" }), { uuid: "a-3" }),
];

test("an id is durable before any process, and loads as an empty session after kill -9", async () => {
  const first = await startBridge(place);
  const session = await first.newSession();
  await first.kill();
  const [file = ""] = readdirSync(place.state);
  expect(file).toContain(session);
  expect(JSON.parse(readFileSync(join(place.state, file), "utf8"))).toEqual({ cwd: place.cwd });
  expect(askedOf(place)).toEqual([]);

  const second = await startBridge(place);
  await second.load(session);
  expect(second.updates).toEqual([]);
  await second.prompt(session, ...say(done));
  expect(optionsAsked(place)).toMatchObject([{ sessionId: session, cwd: place.cwd }]);
});

test("a load replays the transcript, and the next turn resumes it", async () => {
  const first = await startBridge(place);
  const session = await first.newSession();
  await first.prompt(session, ...say(done));
  await first.kill();
  remember(place, session, conversation);

  const second = await startBridge(place);
  await second.load(session);
  expect(textOf(second.updates, "user_message_chunk")).toBe("Make it rightDelete it");
  expect(textOf(second.updates)).toBe("There is a.txt.");
  const ends = second.updates.filter((update) => update.sessionUpdate === "tool_call_update");
  // The result of the interrupted call is unknown, so the replay has no end for it.
  expect(ends).toMatchObject([{ toolCallId: "toolu_1", status: "completed" }]);
  await second.prompt(session, ...say(done));
  expect(optionsAsked(place)[1]).toMatchObject({ resume: session, cwd: place.cwd });
  expect(optionsAsked(place)[1]).not.toHaveProperty("sessionId");
});

test("an unknown session is not found, and leaves no files behind", async () => {
  const bridge = await startBridge(place);
  for (const sessionId of ["5f6e8a52-0000-4000-8000-000000000000", "../../etc/passwd"]) {
    const refusal = { code: -32002, data: { sessionId } };
    await expect(bridge.load(sessionId)).rejects.toMatchObject(refusal);
    await expect(bridge.fork(sessionId)).rejects.toMatchObject(refusal);
  }
  expect(readdirSync(place.state)).toEqual([]);
});

test("an id that a process took before it wrote a message is resumed", async () => {
  const bridge = await startBridge(place);
  const session = await bridge.newSession();
  remember(place, session, []);
  expect(await bridge.prompt(session, ...say(done))).toMatchObject({ stopReason: "end_turn" });
  expect(optionsAsked(place)).toMatchObject([{ sessionId: session }, { resume: session }]);
});

test("after a failed turn the transcript shows whether the session has begun", async () => {
  const bridge = await startBridge(place);
  const session = await bridge.newSession();
  await expect(bridge.prompt(session, { fail: "at once" })).rejects.toThrow("at once");
  await expect(bridge.prompt(session, { fail: "again" })).rejects.toThrow("again");
  remember(place, session, conversation);
  await bridge.prompt(session, ...say(done));
  expect(optionsAsked(place).map(({ sessionId }) => sessionId)).toEqual([
    session,
    session,
    undefined,
  ]);
});

test("a load at a message forgets what came later, until a turn has ended", async () => {
  const bridge = await startBridge(place);
  const session = await bridge.newSession();
  remember(place, session, conversation);
  await bridge.load(session, "a-2");
  expect(textOf(bridge.updates, "user_message_chunk")).toBe("Make it right");
  const cut = { resume: session, resumeSessionAt: "a-2" };
  await expect(bridge.prompt(session, { fail: "at once" })).rejects.toThrow("at once");
  await bridge.prompt(session, ...say(done));
  await bridge.prompt(session, ...say(done));
  expect(optionsAsked(place)).toMatchObject([cut, cut, { resume: session }]);
  expect(optionsAsked(place)[2]).not.toHaveProperty("resumeSessionAt");
  await expect(bridge.load(session, "nobody")).rejects.toMatchObject({ code: -32602 });
});

test("a fork is a new session that begins where the original stood", async () => {
  const first = await startBridge(place);
  const session = await first.newSession();
  remember(place, session, conversation.slice(0, 4));
  const copy = await first.fork(session);
  const early = await first.fork(await first.fork(session), "u-2");
  expect(new Set([session, copy, early]).size).toBe(3);
  // Later messages of the original are not part of the copy.
  remember(place, session, conversation);
  await first.kill();

  const second = await startBridge(place);
  await second.load(copy);
  expect(textOf(second.updates)).toBe("There is a.txt.");
  expect(textOf(second.updates, "user_message_chunk")).toBe("Make it right");
  await second.prompt(copy, ...say(done));
  remember(place, copy, conversation.slice(0, 4));
  await second.prompt(copy, ...say(done));
  await second.load(early);
  await second.prompt(early, ...say(done));
  const forked = (sessionId: string, resumeSessionAt: string) => ({
    resume: session,
    forkSession: true,
    sessionId,
    resumeSessionAt,
  });
  expect(optionsAsked(place)).toMatchObject([
    forked(copy, "a-2"),
    { resume: copy },
    forked(early, "u-2"),
  ]);
});

test("a fork of a session without a turn is a session without a turn", async () => {
  const bridge = await startBridge(place);
  const copy = await bridge.fork(await bridge.newSession());
  await bridge.prompt(copy, ...say(done));
  expect(optionsAsked(place)).toMatchObject([{ sessionId: copy }]);
});
