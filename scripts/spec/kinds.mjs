// Determines the kind of proof of a test file: in a browser, on a whole system, or a unit test.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

const IMPORT = /^(?:import|export)\s(?:[^"';]*?\sfrom\s)?"(\.[^"]+)"/gm;
/**
 * Functions that open a host or the SQLite store, with the source file that they must come from.
 */
const OPENING = [
  [/\b(wireHost)\b/, /\/host\.ts$/],
  [/\b(openHost)\b/, /\/library\.ts$/],
  [/\b(serve)\b/, /\/serve\.ts$/],
  [/\b(openSqliteJournal)\b/, /\/journal\/sqlite\/open\.ts$/],
  [/\b(startHost)\b/, /^\/test\/host\/process\.ts$/],
];
/**
 * Test files and their helpers. Only imports through these count, because then the test opens the
 * host, not the product.
 */
const HELPER = /(^|\/)(testing|test)\/|\/test-directory\.ts$|\.test\.ts$/;

/** The kind of a test file or of a folder of long suites; `file` is relative to the root. */
export function kindOf(root, file) {
  if (file === "test/browser" || file.startsWith("test/browser/")) return "browser";
  if (file === "test" || file.startsWith("test/")) return "system";
  return opensHostOrStore(root, file, new Set()) ? "system" : "unit";
}

/** True when a proof of this kind is enough for a line with this mark. */
export function suffices(mark, kind) {
  if (mark === "UI") return kind === "browser";
  return mark === "T" ? kind !== "unit" : true;
}

/** Follows the imports of the test file through test helpers to one that opens a host or store. */
function opensHostOrStore(root, file, seen) {
  if (seen.has(file) || !HELPER.test(file) || !existsSync(join(root, file))) return false;
  seen.add(file);
  const source = readFileSync(join(root, file), "utf8");
  return [...source.matchAll(IMPORT)].some(([statement, specifier]) => {
    const target = normalize(join(dirname(file), specifier));
    const opens = OPENING.some(([name, from]) => name.test(statement) && from.test(`/${target}`));
    return (
      (opens && !/^(import|export) type/.test(statement)) || opensHostOrStore(root, target, seen)
    );
  });
}
