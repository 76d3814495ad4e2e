import { expect, test } from "vitest";
import { helpfulLine } from "./stderr.ts";

const node = `node:internal/modules/cjs/loader:1386
  throw err;
  ^

Error: Cannot find module 'left-pad'
Require stack:
- /opt/agent/index.js
    at Module._resolveFilename (node:internal/modules/cjs/loader:1383:15) {
  code: 'MODULE_NOT_FOUND',
  requireStack: [ '/opt/agent/index.js' ]
}

Node.js v24.21.0
`;
const python = `Traceback (most recent call last):
  File "/opt/agent.py", line 3, in <module>
    main()
ValueError: no model is set
`;

test.each([
  ["Node's", node, "Error: Cannot find module 'left-pad'"],
  ["Python's", python, "ValueError: no model is set"],
  [
    "a wrapper's",
    "starting\nfatal: no API key in the environment\nbye\n",
    "fatal: no API key in the environment",
  ],
  ["one without a word of trouble", "one\ntwo\n", "two"],
  ["none", "", ""],
])("the line of %s stderr that helps is found", (_whose, stderr, line) => {
  expect(helpfulLine(stderr)).toBe(line);
});
