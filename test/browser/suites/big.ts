/** Large and foreign things that agents say: the page shows them, and stays usable while it does. */

import type { Suite } from "../../long/suite.ts";
import { addParrot, onStage, type Stage } from "../hosts.ts";
import { desk } from "../page.ts";
import { buttons, said } from "../words.ts";

/** A session whose agent says `updates`, and works on where `hold` is set. */
async function parrotSession(
  { world }: Stage,
  said: { readonly updates: readonly object[]; readonly hold?: boolean },
): Promise<string> {
  const body = { agent: "parrot", message: JSON.stringify(said) };
  const { session } = await world.client.call("createSession", { body });
  return session.id;
}

const words = (text: string) => ({
  sessionUpdate: "agent_message_chunk",
  content: { type: "text", text },
});

/** 27 paragraphs of 19 KB, each of them emphasis that is opened and never closed. */
async function emphasis(): Promise<readonly string[]> {
  return onStage(async (stage) => {
    await addParrot(stage.world);
    const units = ["**a ", "_a ", "~a ", "*a ", "int *p; "];
    const paragraphs = Array.from({ length: 27 }, (_, n) => {
      const unit = units[n % units.length] ?? "";
      return `${unit.repeat(Math.floor(19_000 / unit.length))}x${unit.trim()}\n\n`;
    });
    const updates = [...paragraphs, "The end of it."].map(words);
    const id = await parrotSession(stage, { updates, hold: true });
    const page = await stage.enter(id, { size: desk });
    await page.sees("The end of it.");
    await page.press(buttons.stop);
    await page.sees(said.cancelled);
  });
}

export const big: Suite = {
  name: "big",
  async run({ test }) {
    await test(
      "a session with 500 KB of emphasis marks opens, and its run is stopped on the page [P41] [S15]",
      emphasis,
    );
  },
};
