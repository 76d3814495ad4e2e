import { expect, test } from "vitest";
import * as f from "../gallery/fixtures.ts";
import { missingWords } from "./missing-of.ts";

const none = { phase: "opening", refusal: null, session: null } as const;

test("a session that is not there is told from one that was deleted while it was open", () => {
  expect(missingWords({ ...none, phase: "gone" })?.title).toBe("No such session");
  const malformed = { code: "bad_input", message: "params.sessionId: is not a session id" };
  const refused = { ...none, phase: "refused", refusal: malformed } as const;
  expect(missingWords(refused)?.title).toBe("No such session");
  const deleted = { ...none, phase: "gone", session: f.session() } as const;
  expect(missingWords(deleted)?.title).toBe("This session was deleted");
});

test("one that may still come is not missing, and a refusal keeps its reason", () => {
  expect(missingWords(none)).toBeNull();
  const refusal = { code: "forbidden", message: "It belongs to somebody else." };
  const refused = { ...none, phase: "refused", refusal } as const;
  expect(missingWords(refused)?.about).toBe(refusal.message);
});
