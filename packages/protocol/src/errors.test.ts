import { describe, expect, it } from "vitest";
import { type ErrorCode, errorStatus, HostError } from "./errors.ts";

describe("errors", () => {
  it("have a code of their own for every way a token can be wrong", () => {
    const tokens = Object.keys(errorStatus).filter((code) => code.startsWith("token_"));
    expect(tokens.toSorted()).toEqual([
      "token_consumed",
      "token_expired",
      "token_invalid",
      "token_mismatch",
      "token_revoked",
    ]);
  });

  it("get their HTTP status from their code alone", () => {
    for (const code of Object.keys(errorStatus) as ErrorCode[]) {
      const { status } = new HostError(code, "Do something else.");
      expect(status).toBeGreaterThanOrEqual(400);
      expect(status).toBeLessThan(600);
    }
    expect(new HostError("session_not_found", "x").status).toBe(404);
    expect(new HostError("session_ended", "x").status).toBe(410);
  });
});
