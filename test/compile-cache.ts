/** Keeps the compiled sources of the journal's threads, which every host in a test process starts anew. */

import { enableCompileCache } from "node:module";
import { compileCache } from "../packages/server/src/base/compiled.ts";

enableCompileCache(compileCache.NODE_COMPILE_CACHE);
