import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { SessionId } from "@holdfast/protocol";
import { describe, expect, it } from "vitest";
import { openSqliteJournal } from "../journal/sqlite/open.ts";
import { ballastBytes, temporaryDirectory } from "../journal/sqlite/testing/test-directory.ts";
import { done, scriptedAgent } from "../testing/scripted-agent.ts";
import { testHost } from "../testing/test-host.ts";
import { newSecret } from "./secrets.ts";

const DAY = 24 * 3600_000;
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

  it("leaves an event when it is minted, revoked, replaced, used and expired [R002-42]", async () => {
    const agent = scriptedAgent("demo", () => [
      { type: "await", kind: "external", deadlineAt: "2026-01-02T00:00:00.000Z" },
      done(),
    ]);
    const host = await testHost({ agents: [agent], policy: { sweep: 1000 * DAY } });
    const tokens = async (id: SessionId) =>
      (await host.events(id)).map(({ kind }) => kind).filter((kind) => /^token/.test(kind));
    const waiting = async () => {
      const id = await host.newSession();
      await host.sessions.execute(id, "prompt", { content: "wait" });
      const { runId } = await host.until(id, "token.minted");
      return { id, runId };
    };
    const used = await waiting();
    const minted = { runId: used.runId, token: { hash: sha256("other"), expiresAt: null } };
    await host.sessions.execute(used.id, "mintToken", minted);
    const { run } = await host.sessions.state(used.id);
    const token = { id: run?.waits[0]?.token?.id ?? "", runId: used.runId, hash: sha256("other") };
    await host.sessions.execute(used.id, "resumeWait", { runId: used.runId, by: "me", token });
    const told = ["token.minted", "token.revoked", "token.minted", "token.consumed"];
    expect(await tokens(used.id)).toEqual(told);

    const expiring = await waiting();
    const soon = { hash: sha256("soon"), expiresAt: "2026-01-01T01:00:00.000Z" };
    await host.sessions.execute(expiring.id, "mintToken", { runId: expiring.runId, token: soon });
    host.clock.advance(3600_000);
    await host.sweep();
    expect((await tokens(expiring.id)).at(-1)).toBe("token.expired");
    await host.close();
  });

  it("is on disk as its SHA-256, with the wait that it is for, and in no other form [R002-38]", async () => {
    const agent = scriptedAgent("demo", () => [
      { type: "await", kind: "external", deadlineAt: "2026-01-02T00:00:00.000Z" },
      done(),
    ]);
    const { dir, remove } = temporaryDirectory();
    const journal = await openSqliteJournal({ dir, ballastBytes });
    const host = await testHost({ agents: [agent], journal });
    const session = await host.newSession();
    await host.sessions.execute(session, "prompt", { content: "wait" });
    const { hash } = await host.until(session, "token.minted");
    const secret = host.tokens[0]?.split(".")[2] ?? "";
    expect(Buffer.from(secret, "base64url")).toHaveLength(32);
    expect(hash).toBe(sha256(secret));
    const { run } = await host.sessions.state(session);
    expect(run?.waits).toMatchObject([{ token: { hash } }]);
    await host.close();
    const stored = readdirSync(dir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => readFileSync(join(parentPath, name), "latin1"))
      .join("\n");
    remove();
    expect(stored).toContain(hash);
    const bits = Buffer.from(secret, "base64url");
    const forms = [secret, ...(["hex", "base64"] as const).map((form) => bits.toString(form))];
    for (const form of [...forms, Buffer.from(secret).toString("hex")]) {
      expect(stored.includes(form), form).toBe(false);
    }
  });
});
