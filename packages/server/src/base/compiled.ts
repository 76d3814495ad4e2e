import { fileURLToPath } from "node:url";

const isSource = import.meta.url.endsWith(".ts");
const folder = new URL("../../../../node_modules/.cache/holdfast", import.meta.url);

/**
 * Variables with which our Node processes keep compiled sources for the next one: in a clone that saves a
 * holder 12 MB and 0.2 s of processor time. The folder lies with the dependencies, because whoever can
 * write there can change the code itself. Where Node cannot write, it keeps nothing and goes on.
 */
export const compileCache: Readonly<Record<string, string>> = isSource
  ? { NODE_COMPILE_CACHE: fileURLToPath(folder) }
  : {};
