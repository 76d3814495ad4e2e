import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { paths, type RoutePath } from "./paths.ts";
import { type RouteSpec, routes } from "./routes.ts";

test("a route takes a body exactly when its method is neither GET nor DELETE", () => {
  for (const [name, { method }] of Object.entries<RoutePath>(paths)) {
    const { body } = routes[name as keyof typeof routes] as RouteSpec;
    const isSaid = method !== "GET" && method !== "DELETE";
    expect([name, body !== undefined]).toEqual([name, isSaid]);
  }
});

test("a route says whether it may be repeated: every read may, and none that makes a secret", () => {
  for (const [name, { method, repeat }] of Object.entries<RoutePath>(paths)) {
    expect([name, typeof repeat]).toEqual([name, "boolean"]);
    if (method === "GET") expect([name, repeat]).toEqual([name, true]);
  }
  for (const name of ["login", "createLink", "createKey", "createTicket", "mintToken"] as const) {
    expect([name, paths[name].repeat]).toEqual([name, false]);
  }
});

const here = fileURLToPath(new URL("..", import.meta.url));

/** The modules that a file imports at run time; type imports do not count. */
function taken(file: string): string[] {
  const source = readFileSync(join(here, file), "utf8");
  const statements = source.matchAll(/^(?:import|export) ([^;]*?) from "([^"]+)";/gm);
  return [...statements].flatMap(([, what = "", from = ""]) => {
    const names = /\{([^}]*)\}/.exec(what)?.[1]?.split(",") ?? [what];
    const isTypes = what.startsWith("type ") || names.every((name) => /^\s*(type .*)?$/.test(name));
    return isTypes ? [] : [from];
  });
}

test("the modules that a page folds and speaks with do not import the schemas", () => {
  const words = readdirSync(join(here, "words"))
    .filter((name) => !name.endsWith(".test.ts"))
    .map((name) => join("words", name));
  const waiting = [
    "wire/paths.ts",
    "fold.ts",
    "transcript/transcript.ts",
    "views.ts",
    "vocabulary.ts",
    "folded.ts",
    ...words,
  ];
  const seen = new Set<string>();
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (seen.has(file)) continue;
    seen.add(file);
    for (const from of taken(file)) {
      expect([file, from]).not.toEqual([file, "zod"]);
      if (from.startsWith(".")) waiting.push(join(file, "..", from));
    }
  }
  expect(seen.size).toBeGreaterThan(12);
});
