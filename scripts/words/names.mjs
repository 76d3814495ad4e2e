/** Finds names that two files of one package export for different things. */

import { parseSync } from "vite";

const product = /^packages\/([^/]+)\/src\/(?!.*\.test\.tsx?$)(?!(?:.*\/)?testing\/).*\.tsx?$/;

/**
 * Returns each name that several product files of one package declare and export, as `package name`.
 * Re-exports are not declarations.
 */
export function sharedNames(sources) {
  const files = new Map();
  for (const { path, text } of sources) {
    const [, owner] = product.exec(path) ?? [];
    if (owner === undefined) continue;
    for (const name of new Set(exportsOf(path, text))) {
      const key = `${owner} ${name}`;
      files.set(key, [...(files.get(key) ?? []), path]);
    }
  }
  const shared = [...files]
    .filter(([, paths]) => paths.length > 1)
    .map(([name, paths]) => ({ name, paths }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  return { exported: files.size, shared };
}

/** Returns the names that a file both declares and exports. */
export function exportsOf(path, source) {
  const { staticImports, staticExports } = parseSync(path, source).module;
  const imported = new Set(
    staticImports.flatMap(({ entries }) => entries.map(({ localName }) => localName.value)),
  );
  return staticExports
    .flatMap(({ entries }) => entries)
    .filter(({ moduleRequest, exportName }) => moduleRequest === null && exportName.name !== null)
    .filter(({ localName }) => !imported.has(localName.name))
    .map(({ exportName }) => exportName.name);
}
