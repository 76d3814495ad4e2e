import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { createClient } from "@holdfast/client";
import { expect, test } from "vitest";
import { startHost } from "./process.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const packages = {
  protocol: "@holdfast/protocol",
  client: "@holdfast/client",
  server: "@holdfast/server",
  cli: "holdfast",
};

/** External dependencies that the packages declare. */
const outside = Object.keys(packages).flatMap((name) => {
  const path = join(root, "packages", name, "package.json");
  const { dependencies = {} } = JSON.parse(readFileSync(path, "utf8")) as {
    dependencies?: Record<string, string>;
  };
  return Object.keys(dependencies).filter((needed) => !Object.values(packages).includes(needed));
});

test("the published packages, installed into an empty folder, start without their sources", async () => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-packed-"));
  const copy = join(folder, "copy");
  // Built in a copy, so that no build output appears beside the sources.
  for (const name of Object.keys(packages)) {
    cpSync(join(root, "packages", name), join(copy, "packages", name), {
      recursive: true,
      filter: (path) => !/(node_modules|dist|\.tsbuildinfo)$/.test(path),
    });
  }
  for (const name of ["tsconfig.json", "tsconfig.base.json", "package.json"]) {
    cpSync(join(root, name), join(copy, name));
  }
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  execFileSync(join(root, "node_modules", ".bin", "tsc"), ["-b", "--noCheck"], {
    cwd: copy,
    stdio: "inherit",
  });

  const modules = join(folder, "app", "node_modules");
  const paths = Object.keys(packages).map((name) => `./packages/${name}`);
  const pack = ["pack", "--silent", "--pack-destination", folder, ...paths];
  const packed = execFileSync("npm", pack, { cwd: copy, encoding: "utf8" }).trim().split("\n");
  for (const [i, published] of Object.values(packages).entries()) {
    const to = join(modules, published);
    mkdirSync(to, { recursive: true });
    execFileSync("tar", ["xzf", join(folder, packed[i] ?? ""), "-C", to, "--strip-components=1"]);
  }
  for (const name of new Set(outside)) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(root, "node_modules", name), join(modules, name));
  }
  const host = await startHost(join(folder, "data"), {
    entry: join(modules, "holdfast/bin/holdfast.mjs"),
  });
  const { url, token } = host.ready;
  expect((await fetch(`${url}/health`)).status).toBe(200);
  const client = createClient({ url, token });
  const { session } = await client.call("createSession", {
    body: { agent: "demo", message: "/say packed and well" },
  });
  const said: unknown[] = [];
  const signal = AbortSignal.timeout(20_000);
  for await (const step of client.follow({ session: session.id, signal })) {
    if (step.type !== "event") continue;
    said.push(step.event.kind);
    if (step.event.kind === "run.completed") break;
  }
  expect(said).toContain("text.appended");
  expect(await host.end("SIGTERM")).toBe(0);
  rmSync(folder, { recursive: true });
}, 60_000);
