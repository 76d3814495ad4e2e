import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { served } from "./served.ts";
import { hasTerminal, startInTerminal } from "./terminal.ts";

/** A host whose agent "asking" asks the question in its prompt, and repeats the option it was given. */
const cli = served({
  entry: fileURLToPath(new URL("../rounds/host.ts", import.meta.url)),
  node: ["--conditions=holdfast-source"],
});
const { at, holdfast, json } = cli;

const plan = {
  toolCall: { title: "Ready to code?", kind: "switch_mode", rawInput: { plan: "# Go\n\n- a" } },
  options: [
    { optionId: "acceptEdits", kind: "allow_always", name: "Yes, and auto-accept edits" },
    { optionId: "default", kind: "allow_once", name: "Yes, and manually approve edits" },
    { optionId: "plan", kind: "reject_once", name: "No, keep planning" },
  ],
};

async function asked(): Promise<string> {
  const body = { agent: "asking", message: JSON.stringify(plan) };
  const { session } = await cli.client.call("createSession", { body });
  const params = { sessionId: session.id };
  const waits = async () => (await cli.client.call("getStatus", { params })).wait !== null;
  await expect.poll(waits, { timeout: 20_000 }).toBe(true);
  return session.id;
}

/** The option that the agent was given. */
async function told(id: string): Promise<string | undefined> {
  await cli.idle(id);
  const { messages } = await cli.client.call("getTranscript", { params: { sessionId: id } });
  return /I was told (\w+)/.exec(JSON.stringify(messages))?.[1];
}

describe("the agent's own options", () => {
  test("are listed with their numbers, and chosen by number or name", async () => {
    const id = await asked();
    const { stdout } = await holdfast("show", id);
    expect(stdout).toContain("? needs you: Approve a plan\n");
    expect(stdout).toMatch(
      /offers:\n +1 {2}Yes, and auto-.*\n +2 .*\n +3 {2}No, keep planning {2}\(no\)/,
    );
    const [shown] = await json("show", id);
    expect(shown).toMatchObject({
      status: { run: { pendingApproval: { options: [{ id: "acceptEdits" }, {}, {}] } } },
    });
    const [reply] = await json("approve", id, "--option", "2");
    expect(reply).toMatchObject({ approval: { decision: "allow", option: "default" } });
    expect(await told(id)).toBe("default");
  });

  test("that are not offered, or mean the other answer, are refused with what to do next", async () => {
    const id = await asked();
    const unknown = await holdfast("approve", id, "--option", "Maybe");
    expect([unknown.code, unknown.stderr]).toEqual([
      2,
      expect.stringContaining(
        'does not offer "Maybe". It offers: 1 "Yes, and auto-accept edits", 2',
      ),
    ]);
    const opposite = await holdfast("approve", id, "--option", "3");
    expect([opposite.code, opposite.stderr]).toEqual([
      2,
      expect.stringMatching(
        /"No, keep planning" means no\. To choose it, use: .* deny sess_\w+ appr_\w+ --option 3/,
      ),
    ]);
    const denied = await holdfast("deny", id, "--option", "no, keep planning");
    expect([denied.code, denied.stderr]).toEqual([
      0,
      "holdfast: answered “No, keep planning”: Approve a plan: # Go\n",
    ]);
    expect(await told(id)).toBe("plan");
  });

  test.skipIf(!hasTerminal)(
    "are chosen by a number on a terminal, in approve and attach",
    async () => {
      const first = await asked();
      const approving = startInTerminal(at("approve", first));
      await approving.says("Which answer? [1-3", "stdout");
      approving.child.stdin?.write("1\r");
      expect(await approving.ended()).toBe(0);
      expect(await told(first)).toBe("acceptEdits");

      const second = await asked();
      const attached = startInTerminal(at("attach", second));
      await attached.says("1–3 to choose an answer", "stdout");
      // Time to read the question: keys pressed earlier do not count as an answer.
      await new Promise((resolve) => setTimeout(resolve, 700));
      attached.child.stdin?.write("3");
      await attached.says("“No, keep planning”? Enter to confirm", "stdout");
      attached.child.stdin?.write("\r");
      await attached.says("denied", "stdout");
      attached.child.stdin?.write("\u0003");
      expect(await attached.ended()).toBe(130);
      expect(await told(second)).toBe("plan");
    },
  );
});
