/**
 * Vitest in this process, started once and run again for every mutant: only the patched files are
 * transformed again. Processes that a test starts are patched by `test/long/mutate.mjs`.
 */

import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";
import { createVitest, type TestModule, type Vitest } from "vitest/node";
import config from "../../vitest.config.ts";
import { mutateFile } from "../long/mutants.ts";
import { type Patch, planted } from "./mutant.ts";

const root = fileURLToPath(new URL("../../", import.meta.url)).replace(/\/$/, "");

export interface Outcome {
  /** Errors outside of tests: the file did not load, or something failed that no test waits for. */
  readonly errors: readonly string[];
  readonly tests: readonly TestOutcome[];
}

export interface TestOutcome {
  readonly name: string;
  readonly state: "passed" | "failed" | "skipped" | "pending";
  readonly errors: readonly { readonly name: string; readonly message: string }[];
}

export class PatchedVitest {
  readonly #vitest: Vitest;
  readonly #patching: Patching;

  private constructor(vitest: Vitest, patching: Patching) {
    this.#vitest = vitest;
    this.#patching = patching;
  }

  static async open(testTimeout = 20_000): Promise<PatchedVitest> {
    const patching = new Patching();
    const { projects: _, ...test } = config.test ?? {};
    const own = { root, config: false, watch: false, reporters: [{}], maxWorkers: 2, testTimeout };
    const options = { ...test, ...own };
    const { resolve, ssr } = config;
    const vitest = await createVitest("test", options as object, {
      ...(resolve === undefined ? {} : { resolve }),
      ...(ssr === undefined ? {} : { ssr }),
      plugins: [patching.plugin],
    });
    return new PatchedVitest(vitest, patching);
  }

  /** Runs the tests of a file whose full names have one of these parts. */
  async run(file: string, names: readonly string[], patches: readonly Patch[]): Promise<Outcome> {
    const project = this.#vitest.getRootProject();
    const testNamePattern = new RegExp(names.map(escaped).join("|"));
    const changed = [...new Set(patches.map((patch) => `${root}/${patch.file}`))];
    const invalidate = () => {
      for (const path of changed) this.#vitest.invalidateFile(path);
    };
    this.#patching.patches = patches;
    invalidate();
    const leave = inChildren(patches);
    try {
      const specification = project.createSpecification(`${root}/${file}`, { testNamePattern });
      const result = await this.#vitest.runTestSpecifications([specification], false);
      // The list grows with every run; each module in it has its latest results.
      const { moduleId } = specification;
      const modules = result.testModules.filter((module) => module.moduleId === moduleId);
      return outcomeOf(modules, result.unhandledErrors);
    } finally {
      leave();
      this.#patching.patches = [];
      invalidate();
    }
  }

  close(): Promise<void> {
    return this.#vitest.close();
  }
}

class Patching {
  patches: readonly Patch[] = [];

  readonly plugin: Plugin = {
    name: "holdfast-mutant",
    enforce: "pre",
    // Vitest keeps transformed modules on disk, by their source: a patched one must not get there.
    configureVitest: ({ defineCacheKeyGenerator }) =>
      defineCacheKeyGenerator(({ id }) => (this.#isPatched(id) ? false : undefined)),
    transform: (code, id) =>
      this.#isPatched(id) ? planted(code, fileOf(id), this.patches) : undefined,
  };

  #isPatched(id: string): boolean {
    return this.patches.some(({ file }) => file === fileOf(id));
  }
}

const fileOf = (id: string) => relative(root, id.split("?")[0] ?? id);

/** The environment decides for workers and for every Node process that a test starts. */
function inChildren(patches: readonly Patch[]): () => void {
  if (patches.length === 0) return () => undefined;
  const { NODE_OPTIONS: before } = process.env;
  process.env.NODE_OPTIONS = [before, `--import=${mutateFile}`].filter(Boolean).join(" ");
  process.env.MUTANT_PATCHES = JSON.stringify(patches);
  // A patched source must neither use nor fill the cache.
  process.env.NODE_DISABLE_COMPILE_CACHE = "1";
  return () => {
    if (before === undefined) delete process.env.NODE_OPTIONS;
    else process.env.NODE_OPTIONS = before;
    delete process.env.MUTANT_PATCHES;
    delete process.env.NODE_DISABLE_COMPILE_CACHE;
  };
}

function outcomeOf(modules: readonly TestModule[], unhandled: readonly unknown[]): Outcome {
  const errors = [...modules.flatMap((module) => module.errors()), ...unhandled];
  return {
    errors: errors.map((error) => (error as Error).message ?? String(error)),
    tests: modules
      .flatMap((module) => [...module.children.allTests()])
      .map((test) => {
        const { state, errors: failures = [] } = test.result();
        return {
          name: test.fullName,
          state,
          errors: failures.map(({ name = "", message }) => ({ name, message })),
        };
      }),
  };
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
