import { expect, test } from "vitest";
import { modelsOffered } from "./model-choice.ts";

const options = [
  { id: "mode", category: "mode", options: [{ value: "plan" }] },
  {
    id: "m",
    category: "model",
    options: [
      { group: "new", options: [{ value: "large" }, { value: "small" }] },
      { value: "old" },
    ],
  },
];

test("a model is chosen as an option of the session", () => {
  const offer = modelsOffered({ sessionId: "s", configOptions: options });
  expect(offer?.known).toEqual(["large", "small", "old"]);
  expect(offer?.choose("s", "small")).toEqual({
    method: "session/set_config_option",
    params: { sessionId: "s", configId: "m", value: "small" },
  });
});

test("a model is chosen from the list of models", () => {
  const models = { availableModels: [{ modelId: "large" }, { name: "none" }], currentModelId: "x" };
  const offer = modelsOffered({ sessionId: "s", models });
  expect(offer?.known).toEqual(["large"]);
  expect(offer?.choose("s", "large")).toEqual({
    method: "session/set_model",
    params: { sessionId: "s", modelId: "large" },
  });
});

test.each([null, {}, { configOptions: "x" }, { models: [] }, { configOptions: [null, { id: 1 }] }])(
  "%j offers no choice",
  (answer) => {
    expect(modelsOffered(answer)).toBeNull();
  },
);
