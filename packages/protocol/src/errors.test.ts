import { describe, expect, it } from "vitest";
import { type ErrorCode, errorSpec, errorTable, HostError } from "./errors.ts";

describe("errors", () => {
  it("have a code of their own for every way a token can be wrong", () => {
    const tokens = Object.keys(errorTable).filter((code) => code.startsWith("token_"));
    expect(tokens.toSorted()).toEqual([
      "token_consumed",
      "token_expired",
      "token_invalid",
      "token_mismatch",
      "token_revoked",
    ]);
  });

  it("get their HTTP status from their code alone", () => {
    for (const code of Object.keys(errorTable) as ErrorCode[]) {
      const { status } = new HostError(code, "Do something else.");
      expect(status).toBeGreaterThanOrEqual(400);
      expect(status).toBeLessThan(600);
    }
    expect(new HostError("session_not_found", "x").status).toBe(404);
    expect(new HostError("session_ended", "x").status).toBe(410);
  });

  it("say in the table whether the request may be retried", () => {
    const retried = Object.keys(errorTable).filter((code) => errorSpec(code)?.retry);
    for (const [code, { retry }] of Object.entries(errorTable)) {
      expect([code, typeof retry]).toEqual([code, "boolean"]);
    }
    // The host is busy, full or shutting down; damage is permanent.
    expect(retried).toEqual(expect.arrayContaining(["rate_limited", "journal_full", "internal"]));
    expect(retried).not.toContain("session_damaged");
    // A caller who repeats a refused request would only be refused again.
    for (const code of retried) {
      expect([code, [408, 429].includes(statusOf(code)) || statusOf(code) >= 500]).toEqual([
        code,
        true,
      ]);
    }
    expect(errorSpec("constructor")).toBeUndefined();
  });
});

const statusOf = (code: string) => errorSpec(code)?.status ?? 0;
