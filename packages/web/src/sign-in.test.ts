import { ApiError } from "@holdfast/client";
import { expect, test } from "vitest";
import { coversRights, unneededLinkWords } from "./sign-in.ts";

const rights = { tenant: "default", scopes: ["read", "write"] as ("read" | "write" | "admin")[] };
const known = { ...rights, expiresAt: "2026-02-01T00:00:00.000Z" };

test("a signed-in device stays when a link of its tenant gives no more rights and no more time", () => {
  expect(coversRights(known, known)).toBe(true);
  expect(coversRights({ ...known, expiresAt: null }, { ...known, expiresAt: null })).toBe(true);
  expect(coversRights(known, { ...known, scopes: ["read"] })).toBe(true);
});

test("a link of another tenant, with more rights or more time replaces the device", () => {
  expect(coversRights(known, { ...known, tenant: "other" })).toBe(false);
  expect(coversRights(known, { ...known, scopes: ["read", "write", "admin"] })).toBe(false);
  expect(coversRights(known, { ...known, expiresAt: null })).toBe(false);
  expect(coversRights(known, { ...known, expiresAt: "2026-03-01T00:00:00.000Z" })).toBe(false);
});

test("a refused link does not ask a signed-in browser for a new one", () => {
  const used = new ApiError(401, "link_invalid", "It was used. Ask for a new one.");
  expect(unneededLinkWords(used)).toBe(
    "This link was already used or has expired. You do not need a new one in this browser.",
  );
  expect(unneededLinkWords(new Error("Too many tries."))).toBe("Too many tries.");
});
