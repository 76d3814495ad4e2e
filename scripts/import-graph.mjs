/** Draws docs/import-graph.svg, the picture in ARCHITECTURE.md. */

import { writeFileSync } from "node:fs";
import { picture } from "./imports/picture.mjs";

writeFileSync(new URL("../docs/import-graph.svg", import.meta.url), picture());
