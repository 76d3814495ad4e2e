import { emptyState, sessionView } from "@holdfast/protocol";
import { expect, test } from "vitest";
import { paint } from "../output/print.ts";
import { lines } from "./ls.ts";

const now = Date.parse("2026-01-01T00:10:00.000Z");
const known = { ...emptyState, agentName: "demo", createdAt: "2026-01-01T00:00:00.000Z" };
const view = sessionView({ ...known, id: "sess_1", title: "Publish 2.4.0" }, { epoch: 1 });

test("a session is listed with the last that happened in it, inert", () => {
  const happening = { kind: "asks", text: "Run npm \u001b[2Jpublish" } as const;
  const [, asks, quiet] = lines([{ ...view, happening }, view], now, null);
  expect(paint(asks ?? [], false)).toMatch(
    /Publish 2\.4\.0 +asks: Run npm \S+publish +demo +10 min/,
  );
  expect(paint(asks ?? [], false)).not.toContain("\u001b");
  expect(paint(quiet ?? [], false)).toMatch(/Publish 2\.4\.0 +demo/);
});

test("a session that failed says so once", () => {
  const happening = { kind: "failed", text: "the model is too busy" } as const;
  const failed = { ...view, happening, word: "failed" } as const;
  const [, row, ended] = lines([failed, { ...failed, word: "ended" }], now, null);
  expect(paint(row ?? [], false)).toMatch(/✗ failed +Publish 2\.4\.0 +the model is too busy +demo/);
  expect(paint(ended ?? [], false)).toMatch(/· ended .* failed: the model is too busy +demo/);
});
