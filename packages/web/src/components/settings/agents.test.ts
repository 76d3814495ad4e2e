import type { AgentView } from "@holdfast/protocol";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { agents } from "../../../gallery/fixtures.ts";
import { Agents } from "./agents.tsx";

const codex = agents.filter(({ name }) => name === "codex");

const drawn = (change: Partial<AgentView>) =>
  renderToStaticMarkup(
    createElement(Agents, {
      agents: codex.map((agent) => ({ ...agent, ...change })),
      checks: {},
      onCheck: () => undefined,
    }),
  );

test("an install command stands apart from the sentence", () => {
  const page = drawn({});
  expect(page).toContain(">Codex was not found.<");
  expect(page).toContain(">npm install -g @agentclientprotocol/codex-acp<");
});

test("advice stays part of the sentence", () => {
  const missing = "Codex was not found. To get it: see its page";
  const page = drawn({ missing, install: { advice: "see its page" } });
  expect(page).toContain(`>${missing}<`);
  expect(page).not.toContain(">see its page<");
});
