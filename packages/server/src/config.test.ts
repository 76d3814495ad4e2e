import { userInfo } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { hostLimits } from "./access/limits/host-limits.ts";
import { readConfig } from "./config.ts";
import { liveLimits } from "./runtime/launch-queue.ts";

test("data lies in the home directory by default", () => {
  expect(readConfig({}, { HOME: "/home/me" }).data).toBe("/home/me/.holdfast");
});

test.each([{ HOME: "" }, { HOME: "me" }, {}])(
  "with %j data lies in the user's own home, never in the working directory",
  (env) => {
    expect(readConfig({}, env).data).toBe(join(userInfo().homedir, ".holdfast"));
  },
);

describe("limits", () => {
  const limitsOf = (env: NodeJS.ProcessEnv) => readConfig({}, { HOME: "/home/me", ...env }).limits;

  test("are the host's own unless they are set", () => {
    const standard = { ...hostLimits, ...liveLimits };
    expect(limitsOf({})).toEqual(standard);
    expect(limitsOf({ HOLDFAST_SESSIONS: "" })).toEqual(standard);
    const env = {
      HOLDFAST_SESSIONS: "7",
      HOLDFAST_SESSIONS_PER_TENANT: "3",
      HOLDFAST_CHANGES_AT_ONCE: "20",
      HOLDFAST_CHANGES_PER_SECOND: "2",
      HOLDFAST_LIVE_AGENTS: "9",
      HOLDFAST_LIVE_AGENTS_PER_TENANT: "4",
    };
    expect(limitsOf(env)).toEqual({
      sessions: 7,
      sessionsPerTenant: 3,
      liveAgents: 9,
      liveAgentsPerTenant: 4,
      changes: { burst: 20, perSecond: 2 },
    });
  });

  test.each(["0", "-1", "1.5", "many", "1e9", "9".repeat(20)])("cannot be %s", (text) => {
    expect(() => limitsOf({ HOLDFAST_SESSIONS: text })).toThrow(
      `HOLDFAST_SESSIONS must be a whole number above 0, not "${text}".`,
    );
  });
});
