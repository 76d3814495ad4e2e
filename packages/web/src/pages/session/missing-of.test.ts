import { expect, test } from "vitest";
import * as f from "../../../gallery/fixtures.ts";
import { missingWords } from "./missing-of.ts";

const none = { phase: "opening", refusal: null, session: null } as const;

test("an unknown session and one deleted while open have different titles", () => {
  expect(missingWords({ ...none, phase: "gone" })?.title).toBe("No such session");
  const malformed = { code: "bad_input", message: "params.sessionId: is not a session id" };
  const refused = { ...none, phase: "refused", refusal: malformed } as const;
  expect(missingWords(refused)?.title).toBe("No such session");
  const deleted = { ...none, phase: "gone", session: f.session() } as const;
  expect(missingWords(deleted)?.title).toBe("This session was removed");
});

test("a session that may still load is not missing, and a refusal shows its reason", () => {
  expect(missingWords(none)).toBeNull();
  const refusal = { code: "forbidden", message: "It belongs to somebody else." };
  const refused = { ...none, phase: "refused", refusal } as const;
  expect(missingWords(refused)?.about).toBe(refusal.message);
});
