import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { done, scriptedAgent } from "../testing/scripted-agent.ts";
import { testHost } from "../testing/test-host.ts";
import { newSecret } from "./secrets.ts";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

describe("the secret of a resume token", () => {
  it("has 256 random bits", () => {
    const asked: number[] = [];
    const { secret } = newSecret((bytes) => {
      asked.push(bytes);
      return new Uint8Array(bytes).fill(7);
    });
    expect(asked).toEqual([32]);
    expect(Buffer.from(secret, "base64url")).toHaveLength(32);
  });

  it("is in the journal as its SHA-256 and in no other form [R002-38]", async () => {
    const agent = scriptedAgent("demo", () => [
      { type: "await", kind: "external", deadlineAt: "2026-01-02T00:00:00.000Z" },
      done(),
    ]);
    const host = await testHost({ agents: [agent] });
    const session = await host.newSession();
    await host.sessions.execute(session, "prompt", { content: "wait" });
    const { hash } = await host.until(session, "token.minted");
    const secret = host.tokens[0]?.split(".")[2] ?? "";
    expect(Buffer.from(secret, "base64url")).toHaveLength(32);
    expect(hash).toBe(sha256(secret));
    const stored = JSON.stringify(await host.events(session));
    const bits = Buffer.from(secret, "base64url");
    const forms = [secret, ...(["hex", "base64"] as const).map((form) => bits.toString(form))];
    for (const form of [...forms, Buffer.from(secret).toString("hex")]) {
      expect(stored).not.toContain(form);
    }
    await host.close();
  });
});
