/** A directory, a clock and credentials for one test; `open` simulates a restart. */

import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Scope } from "@holdfast/protocol";
import { manualClock } from "../../testing/manual-clock.ts";
import { Access } from "../credentials/access.ts";
import type { Caller } from "../credentials/caller.ts";

export function testCredentials() {
  const dir = mkdtempSync(join(tmpdir(), "holdfast-access-"));
  const clock = manualClock();
  const errors: unknown[] = [];
  const open = () =>
    new Access({
      dir,
      clock,
      random: (bytes) => randomBytes(bytes),
      onError: (error) => errors.push(error),
    });
  return {
    dir,
    clock,
    errors,
    file: join(dir, "credentials"),
    open,
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
}

export function known(access: Access, secret: string): Caller {
  const caller = access.authenticate(secret);
  if (caller === null) throw new Error("this secret should be known");
  return caller;
}

export function pair(access: Access, by = access.owner, name = "phone") {
  return access.redeem(access.createLink(by, null).code, name);
}

export function keyFor(
  access: Access,
  tenant: string,
  scopes: readonly Scope[] = ["read", "write", "admin"],
  expiresAt: string | null = null,
) {
  return access.createKey(access.owner, { name: "ci", tenant, scopes, expiresAt });
}
