import { userInfo } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readConfig } from "./config.ts";

test("data lies in the home directory by default", () => {
  expect(readConfig({}, { HOME: "/home/me" }).data).toBe("/home/me/.holdfast");
});

test.each([{ HOME: "" }, { HOME: "me" }, {}])(
  "with %j it lies in the user's own home, never where the command is run",
  (env) => {
    expect(readConfig({}, env).data).toBe(join(userInfo().homedir, ".holdfast"));
  },
);
